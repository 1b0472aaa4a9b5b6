import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OBSERVABLE_FIELDS } from '../../../src/services/app-env/app-env-status-fields.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

describe('a restricted member', () => {
  test('sees only their environments, on every path', async () => {
    const accountId = await world.account()
    const appId = await world.app({ accountId })
    const mine = await world.appEnv({ accountId, appId, name: 'mine' })
    const other = await world.appEnv({ accountId, appId, name: 'other' })
    const { token } = await world.user({ accountId, appEnvIds: [mine.appEnvId] })
    const names = '{ nodes { name } }'
    const { data, errors } = await world.query(
      `query ($account: ID!, $app: ID!, $mine: ID!) {
        account(id: $account) { appEnvs ${names} apps { nodes { appEnvs ${names} } } }
        app(id: $app) { appEnvs ${names} account { appEnvs ${names} } }
        appEnvs(accountId: $account) ${names}
        appEnv(id: $mine) { app { appEnvs ${names} } account { appEnvs ${names} } }
        accounts { nodes { appEnvs ${names} } }
      }`,
      { account: accountId, app: appId, mine: mine.appEnvId },
      token,
    )
    expect(errors).toBeUndefined()
    expect(JSON.stringify(data)).not.toContain('other')
    expect(JSON.stringify(data).match(/mine/g)).toHaveLength(8)
    for (const query of [`{ appEnv(id: "${other.appEnvId}") { id } }`, `{ node(id: "${other.appEnvId}") { id } }`]) {
      expect((await world.query(query, {}, token)).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    }
  })
})

describe('a caller from another account', () => {
  test('is refused for existing resources, on every path', async () => {
    const { appEnvId, appId, accountId } = await world.appEnv()
    const contentId = await world.deploy(appEnvId)
    const [operation] = await world.operationsOf(appEnvId)
    const { token } = await world.user({ accountId: await world.account() })
    const asked = [
      `account(id: "${accountId}") { id }`,
      `apps(accountId: "${accountId}") { nodes { id } }`,
      `app(id: "${appId}") { id }`,
      `appEnv(id: "${appEnvId}") { id }`,
      `appEnvs(accountId: "${accountId}") { nodes { id } }`,
      `deployment(id: "${contentId}") { id }`,
      `deployments(appEnvId: "${appEnvId}") { nodes { id } }`,
      `operation(id: "${operation?.id}") { id }`,
      `operations(appEnvId: "${appEnvId}") { nodes { id } }`,
      `auditLog(accountId: "${accountId}") { nodes { id } }`,
      `members(accountId: "${accountId}") { nodes { userId } }`,
      `tokens(appEnvId: "${appEnvId}") { nodes { id } }`,
      ...[accountId, appId, appEnvId, contentId, operation?.id].map((id) => `node(id: "${id}") { id }`),
    ]
    for (const field of asked) {
      const { data, errors } = await world.query(`{ ${field} }`, {}, token)
      expect(errors?.[0]?.extensions.code, field).toBe('FORBIDDEN')
      expect(Object.values(data ?? { nothing: null }), field).toEqual([null])
    }
  })
})

describe('an environment token', () => {
  test('gets its operation’s answer, what it may watch, and no data around it', async () => {
    const { appEnvId } = await world.appEnv()
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    const deploy = (fields: string) =>
      world.query(
        `mutation { deployImage(input: { appEnvId: "${appEnvId}", image: "nginx:1" }) { ${fields} } }`,
        {},
        token,
      )
    const answer = await deploy('success appEnv { id name status } operation { status appEnvId }')
    expect(answer.errors).toBeUndefined()
    expect(answer.data.deployImage).toMatchObject({
      appEnv: { id: appEnvId, status: 'UPDATING' },
      operation: { status: 'QUEUED' },
    })
    for (const more of [
      'appEnv { health replicas { ready } latestDeployment { isSuccess } }',
      'operation { appEnv { id } deployment { status } }',
    ]) {
      expect((await deploy(more)).errors, more).toBeUndefined()
    }
    for (const more of [
      'appEnv { app { name } }',
      'appEnv { variables { value } }',
      'operation { appEnv { preventDestroy } }',
      'operation { deployment { appEnv { hosts { host } } } }',
    ]) {
      expect((await deploy(more)).errors?.[0]?.extensions.code, more).toBe('FORBIDDEN')
    }
    expect((await world.query('{ me { id } }', {}, token)).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  })
})

interface Kind {
  kind: string
  ofType?: Kind | null
}

/** Of a type and of what it wraps. */
const kindsOf = (type: Kind): string[] => [type.kind, ...(type.ofType ? kindsOf(type.ofType) : [])]

describe('an environment token that watches', () => {
  const FIELDS = 'id name status health replicas { desired } pendingChanges { hasDeployChanges } observedAt'

  test('reads the state of its environment on every path, and of no other', async () => {
    const { appEnvId: id } = await world.appEnv()
    const contentId = await world.deploy(id)
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId: id })
    const { data, errors } = await world.query(
      `query ($id: ID!) {
        appEnv(id: $id) { ${FIELDS} currentDeployment { version } deployments { nodes { canRollback } } operations { nodes { id } } }
        node(id: $id) { ... on AppEnv { ${FIELDS} } }
        deployment(id: "${contentId}") { isSuccess appEnv { status } }
        pods(appEnvId: $id) { name }
        logs(appEnvId: $id) { nodes { message } }
        metrics(appEnvId: $id) { resources { cpu { usagePercent } } containers { ready } autoScaling { enabled } }
        metricsSeries(appEnvId: $id, metric: CPU_USAGE) { value }
        operations(appEnvId: $id) { nodes { status } }
      }`,
      { id },
      token,
    )
    expect(errors).toBeUndefined()
    expect(data.appEnv).toMatchObject({ id, status: 'RUNNING', currentDeployment: { version: 1 } })
    const other = await world.appEnv()
    const refused = await world.query(`{ appEnv(id: "${other.appEnvId}") { id } }`, {}, token)
    expect(refused.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  })

  test('reads no other field of it, whatever leads there', async () => {
    const { appEnvId: id } = await world.appEnv({ envVars: [{ name: 'PLAIN', value: 'seen' }] })
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId: id })
    const { data } = await world.query(
      '{ __type(name: "AppEnv") { fields { name type { kind ofType { kind ofType { kind ofType { kind } } } } } } }',
    )
    const open = new Set([...OBSERVABLE_FIELDS])
    const fields = (data.__type.fields as { name: string; type: Kind }[])
      .filter(({ name }) => !open.has(name))
      .map(({ name, type }) => (kindsOf(type).includes('OBJECT') ? `${name} { __typename }` : name))
    expect(fields.length).toBeGreaterThan(10)
    for (const field of fields) {
      // Twice, under names of their own, so that the builder of the schema loads one of them by itself.
      const query = `{ appEnv(id: "${id}") { a: ${field} b: ${field} } node(id: "${id}") { ... on AppEnv { c: ${field} } } }`
      const { data, errors } = await world.query(query, {}, token)
      expect([...new Set(errors?.map(({ extensions }) => extensions.code))], field).toEqual(['FORBIDDEN'])
      expect(JSON.stringify(data), field).not.toContain('seen')
    }
  })
})

describe('secrets', () => {
  const envVars = [
    { name: 'PLAIN', value: 'seen', type: 'DEPLOY', isSecret: false },
    { name: 'SECRET', value: 'unseen', type: 'DEPLOY', isSecret: true },
  ]
  const query = 'query ($id: ID!, $reveal: Boolean) { appEnv(id: $id) { variables(reveal: $reveal) { name value } } }'

  test('are masked, and revealed to an admin who asks, with an audit entry', async () => {
    const { appEnvId: id } = await world.appEnv({ envVars })
    const masked = await world.query(query, { id })
    expect(masked.data.appEnv.variables.map((variable: { value: string }) => variable.value)).toEqual([
      'seen',
      '***SECRET***',
    ])
    const revealed = await world.query(query, { id, reveal: true })
    expect(revealed.data.appEnv.variables.map((variable: { value: string }) => variable.value)).toEqual([
      'seen',
      'unseen',
    ])
    expect((await world.auditOf(id)).map((entry) => entry.action)).toContain('revealVariables')
  })

  test('are not revealed to other callers', async () => {
    const { appEnvId: id } = await world.appEnv({ envVars })
    const { token } = await world.user()
    const { data, errors } = await world.query(query, { id, reveal: true }, token)
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    expect(JSON.stringify(data)).not.toContain('unseen')
  })
})

test('deleted data is gone from every answer at once', async () => {
  const { appEnvId, appId } = await world.appEnv()
  const contentId = await world.deploy(appEnvId)
  const { data } = await world.query(
    `mutation { deleteAppEnv(input: { appEnvId: "${appEnvId}" }) { message operation { id kind appEnv { id } } } }`,
  )
  expect(data.deleteAppEnv.operation).toMatchObject({ kind: 'DELETE', appEnv: null })
  for (const field of [`appEnv(id: "${appEnvId}") { id }`, `deployment(id: "${contentId}") { id }`]) {
    expect((await world.query(`{ ${field} }`)).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  }
  expect((await world.query(`{ app(id: "${appId}") { appEnvs { nodes { id } } } }`)).data.app.appEnvs.nodes).toEqual([])
})
