import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

const mutate = async (name: string, input: Record<string, unknown>, fields: string) => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`
  const { data, errors } = await world.query(`mutation ($input: ${type}) { ${name}(input: $input) { ${fields} } }`, {
    input,
  })
  return { answer: data?.[name], code: errors?.[0]?.extensions.code, errors }
}

describe('a mutation', () => {
  test('accepts its target by id or by CLI name', async () => {
    const { appEnvId } = await world.appEnv()
    const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    const { answer } = await mutate(
      'deployImage',
      { envName: cliEnvName, image: 'nginx:1' },
      'appEnv { id } operation { kind }',
    )
    expect(answer).toEqual({ appEnv: { id: appEnvId }, operation: { kind: 'DEPLOY_IMAGE' } })
  })

  test('with a repeated key repeats the answer, and does nothing', async () => {
    const { appEnvId } = await world.appEnv()
    const input = { appEnvId, image: 'nginx:1', idempotencyKey: 'once' }
    const first = await mutate('deployImage', input, 'idempotentReplayed operation { id }')
    const second = await mutate('deployImage', input, 'idempotentReplayed operation { id }')
    expect(first.answer.idempotentReplayed).toBe(false)
    expect(second.answer).toEqual({ ...first.answer, idempotentReplayed: true })
    expect(await world.operationsOf(appEnvId)).toHaveLength(1)
    expect((await mutate('deployImage', { ...input, image: 'nginx:2' }, 'message')).code).toBe('IDEMPOTENCY_MISMATCH')
  })

  test('as a dry run reports its changes, and makes none', async () => {
    const { appEnvId } = await world.appEnv()
    const { answer } = await mutate(
      'deployImage',
      { appEnvId, image: 'nginx:1', dryRun: true },
      'dryRun changes operation { id } appEnv { status }',
    )
    expect(answer).toMatchObject({ dryRun: true, operation: null, changes: { kind: 'DEPLOY_IMAGE', version: 1 } })
    expect(await world.operationsOf(appEnvId)).toEqual([])
    const input = { accountId: world.accountId, name: 'Never', port: 80, dryRun: true }
    expect((await mutate('createApp', input, 'app { id } changes')).answer).toMatchObject({
      app: null,
      changes: { name: 'Never' },
    })
  })

  test('that waits answers when the operation has ended', async () => {
    const { appEnvId } = await world.appEnv()
    const waiting = mutate(
      'deployImage',
      { appEnvId, image: 'nginx:1', waitSeconds: 10 },
      'appEnv { status } operation { status }',
    )
    for (let open = await world.operationsOf(appEnvId); open.length === 0; open = await world.operationsOf(appEnvId))
      await sleep(20)
    const [operation] = await world.operationsOf(appEnvId)
    await world.endOperation(operation?.id ?? '')
    expect((await waiting).answer).toEqual({ appEnv: { status: 'RUNNING' }, operation: { status: 'SUCCEEDED' } })
  })

  test('requires the expected version', async () => {
    const appId = await world.app()
    const first = await mutate(
      'updateApp',
      { appId, port: 81, expectedVersion: 1 },
      'app { version port } environmentsAffected',
    )
    expect(first.answer).toEqual({ app: { version: 2, port: 81 }, environmentsAffected: 0 })
    expect((await mutate('updateApp', { appId, port: 82, expectedVersion: 1 }, 'app { version }')).code).toBe(
      'PRECONDITION_FAILED',
    )
  })

  test('accepts what REST accepts: nested objects, enums, historical names', async () => {
    const created = await mutate(
      'createApp',
      {
        accountId: world.accountId,
        name: 'A job',
        dockerPreset: 'JOB',
        appType: 'JOB',
        jobConfig: { command: 'true', concurrencyPolicy: 'REJECT' },
      },
      'app { id type dockerPreset jobConfig { concurrencyPolicy } port }',
    )
    expect(created.answer.app).toMatchObject({
      type: 'JOB',
      dockerPreset: 'JOB',
      port: null,
      jobConfig: { concurrencyPolicy: 'REJECT' },
    })
    const env = await mutate(
      'createAppEnv',
      {
        accountId: world.accountId,
        appId: created.answer.app.id,
        name: 'nightly',
        region: 'local',
        startupConfig: { command: 'echo' },
        envVars: [{ name: 'A', value: 'b', type: 'BOTH' }],
      },
      'appEnv { name status startupConfig { command args shell workingDir } variables { name value type isSecret } }',
    )
    expect(env.answer.appEnv).toEqual({
      name: 'nightly',
      status: 'PENDING',
      startupConfig: { command: 'echo', args: [], shell: true, workingDir: null },
      variables: [{ name: 'A', value: 'b', type: 'BOTH', isSecret: false }],
    })
  })

  test('creates tokens whose secret is shown once, accounts and members', async () => {
    const account = await mutate('createAccount', { name: 'Second' }, 'account { id name isCurrent }')
    expect(account.answer.account).toMatchObject({ name: 'Second', isCurrent: false })
    const accountId = account.answer.account.id
    const member = await mutate(
      'addMember',
      { accountId, email: 'a@example.com', roles: ['TECHNICAL'] },
      'userId roles appEnvIds',
    )
    expect(member.answer).toMatchObject({ roles: ['TECHNICAL'], appEnvIds: null })
    const input = { kind: 'SCOPED', name: 'ci', scopes: ['SVC_WRITE_DEPLOY'] }
    const { answer } = await mutate('createToken', input, 'secret token { id kind scopes }')
    expect(answer).toMatchObject({
      secret: expect.stringMatching(/^berth_s_/),
      token: { kind: 'SCOPED', scopes: ['SVC_WRITE_DEPLOY'] },
    })
    const { data } = await world.query('{ tokens { nodes { id kind scopes } } }', {}, answer.secret)
    expect(data.tokens.nodes).toContainEqual(answer.token)
    expect((await mutate('revokeToken', { tokenId: answer.token.id }, 'message')).code).toBeUndefined()
    expect((await world.query('{ me { id } }', {}, answer.secret)).status).toBe(401)
  })

  test('that is refused leaves the answer of the one before it, and its secret', async () => {
    const { data, errors } = await world.query(`mutation {
      first: createToken(input: { kind: SCOPED, name: "ci", scopes: [SVC_READ] }) { secret }
      second: createToken(input: { kind: SCOPED, name: "ci" }) { secret }
    }`)
    expect(data).toEqual({ first: { secret: expect.stringMatching(/^berth_s_/) }, second: null })
    expect(errors).toMatchObject([{ path: ['second'], extensions: { code: 'INVALID_INPUT' } }])
  })

  test('that rolls back reports both versions', async () => {
    const { appEnvId } = await world.appEnv()
    const contentId = await world.deploy(appEnvId, 'nginx:1')
    await world.deploy(appEnvId, 'nginx:2')
    const { answer } = await mutate('rollbackAppEnv', { appEnvId }, 'rollbackInfo { fromVersion toVersion contentId }')
    expect(answer.rollbackInfo).toEqual({ fromVersion: 2, toVersion: 1, contentId })
  })
})
