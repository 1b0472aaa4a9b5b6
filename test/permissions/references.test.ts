import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyCommand } from '../../src/calls/command.ts'
import type { Scope } from '../../src/domain/permissions.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { changeVariables, setVariables } from '../../src/services/app-env/variable-commands.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { setPullRequestEnvs } from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import { createWorld, type World } from '../support/world.ts'
import { refusalOf } from './refusal-of.ts'

/**
 * A reference in a variable reads what it names, so who writes it needs the right to read that. Each field that takes one,
 * each kind of reference, and each caller who may write the field and not read the environment.
 */
const KINDS = ['internalUrl', 'readOnlyUrl', 'externalUrl', 'host', 'port', 'user', 'password', 'database'] as const
/** They hold no credential, and take no more than reading the environment. */
const ADDRESSES: readonly string[] = ['host', 'port', 'database']
const NOT_THERE = 'which is neither a variable here nor an environment with that address'

let world: World
let app: { appId: string; appEnvId: string }
/** A managed service of the same account, and its name. */
let service: { appEnvId: string; name: string }

async function deployed(appEnvId: string) {
  const { operationId } = (await world.perform(deployImage, { appEnvId, image: 'nginx:1' })) as { operationId: string }
  await world.endOperation(operationId)
}

async function managed(accountId: string) {
  const { appId } = await world.perform(createApp, { name: 'Db', accountId, dockerPreset: 'POSTGRESQL' })
  const input = {
    accountId,
    appId,
    name: 'production',
    region: 'local',
    containers: 2,
    externalAccess: { enabled: true, allowedCidrs: ['203.0.113.0/24'] },
  }
  const made = await world.perform(createAppEnv, input)
  await world.endOperation(made.operationId)
  const appEnvId = String(made.appEnvId)
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  return { appEnvId, name: cliEnvName }
}

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_TCP_PORTS: '20000-20100', BERTH_OPERATION_RATE_LIMIT: '1000000' } })
  service = await managed(world.accountId)
  const { appEnvId, appId } = await world.appEnv()
  app = { appId, appEnvId: String(appEnvId) }
  await deployed(app.appEnvId)
})
afterAll(() => world?.close())

/** Each field that takes a reference, as a call that holds it; `isNew`: it creates an environment. */
const FIELDS: Readonly<Record<string, { isNew?: true; call(value: string): [AnyCommand, object] }>> = {
  'envVars[].value of createJobRun': {
    call: (value) => [createJobRun, { appEnvId: app.appEnvId, command: 'env', envVars: [{ name: 'STOLEN', value }] }],
  },
  'variables[].value of setVariables': {
    call: (value) => [setVariables, { appEnvId: app.appEnvId, variables: [{ name: 'STOLEN', value }] }],
  },
  'variables[].value of changeVariables': {
    call: (value) => [changeVariables, { appEnvId: app.appEnvId, variables: [{ name: 'STOLEN', value }] }],
  },
  'envVars[].value of updateAppEnv': {
    call: (value) => [updateAppEnv, { appEnvId: app.appEnvId, envVars: [{ name: 'STOLEN', value }] }],
  },
  'envVars[].value of createAppEnv': {
    isNew: true,
    call: (value) => [
      createAppEnv,
      {
        accountId: world.accountId,
        appId: app.appId,
        name: 'other',
        region: 'local',
        envVars: [{ name: 'STOLEN', value }],
      },
    ],
  },
}

interface Caller {
  token: string
  /** Whether the caller may see that the environment is there. */
  knows: boolean
  /** Of the fields, those that the caller may write. */
  may(field: string): boolean
}

const config = (field: string) => !field.includes('createJobRun')

async function callers(): Promise<Record<string, Caller>> {
  const environmentToken = await world.token({ kind: 'ENVIRONMENT', appEnvId: app.appEnvId })
  const restricted = await world.user({ roles: ['ADMIN'], appEnvIds: [app.appEnvId] })
  const technician = await world.user({ roles: ['TECHNICAL'], appEnvIds: [app.appEnvId] })
  const admin = await world.user({ roles: ['ADMIN'] })
  const scoped = async (scopes: Scope[]) => (await world.token({ kind: 'SCOPED', scopes, as: admin.token })).token
  const isNew = (field: string) => FIELDS[field]?.isNew === true
  return {
    'environment token of another': { token: environmentToken.token, knows: false, may: (field) => !config(field) },
    'admin restricted to others': { token: restricted.token, knows: false, may: (field) => !isNew(field) },
    'technician restricted to others': { token: technician.token, knows: false, may: (field) => !isNew(field) },
    'scope svc:write:deploy': {
      token: await scoped(['svc:write:deploy']),
      knows: true,
      may: (field) => !config(field),
    },
    'scope svc:write:config': { token: await scoped(['svc:write:config']), knows: true, may: config },
  }
}

const dry = (token: string, call: [AnyCommand, object]) => refusalOf(world, token, call)

/** With the name of an environment that is there in place of one that is not. */
const without = (text: string) => text.replaceAll(service.name, 'nowhere')

test('a reference is written only by who may read what it names', async () => {
  const wrong: string[] = []
  let cells = 0
  for (const [name, { token, knows, may }] of Object.entries(await callers()))
    for (const [field, { call }] of Object.entries(FIELDS)) {
      if (!may(field)) continue
      for (const kind of KINDS) {
        cells += 1
        const got = await dry(token, call(`\${${service.name}.${kind}}`))
        const none = await dry(token, call(`\${nowhere.${kind}}`))
        if (!none?.message.includes(NOT_THERE)) throw new Error(`${name}, ${field}: ${none?.message}`)
        const said = got ? `${got.code} ${got.reason} ${got.message}` : 'accepted'
        const isRight = !knows
          ? got !== null && without(got.message) === none.message && got.code === none.code
          : ADDRESSES.includes(kind)
            ? got === null
            : got?.reason === 'SCOPE_MISSING'
        if (!isRight) wrong.push(`${field} with ${kind} by ${name}: ${said}`)
      }
    }
  console.info(`references: ${cells} cells`)
  expect(wrong).toEqual([])
})

test('admins, technicians and tokens with the scope write every kind of reference', async () => {
  const [admin, technician] = [await world.user({ roles: ['ADMIN'] }), await world.user({ roles: ['TECHNICAL'] })]
  const scopes: Scope[] = ['svc:write:config', 'svc:write:deploy', 'svc:read:secrets']
  const { token } = await world.token({ kind: 'SCOPED', scopes, as: admin.token })
  const wrong: string[] = []
  for (const [who, as] of Object.entries({ admin: admin.token, technician: technician.token, token }))
    for (const [field, { call }] of Object.entries(FIELDS))
      for (const kind of KINDS) {
        const got = await dry(as, call(`\${${service.name}.${kind}}`))
        if (got) wrong.push(`${field} with ${kind} by ${who}: ${got.message}`)
      }
  expect(wrong).toEqual([])
})

test('an environment of another account does not exist for a reference', async () => {
  const stranger = await world.account()
  const theirs = await managed(stranger)
  for (const { call } of Object.values(FIELDS))
    expect((await dry(world.adminToken, call(`\${${theirs.name}.password}`)))?.message).toContain(NOT_THERE)
})

test('what an environment was granted stays, when another caller changes its other variables', async () => {
  const { appEnvId } = await world.appEnv()
  const granted = { name: 'DATABASE_URL', value: `\${${service.name}.internalUrl}` }
  await world.perform(setVariables, { appEnvId, variables: [granted] })
  await deployed(String(appEnvId))
  const { token } = await world.user({ roles: ['TECHNICAL'], appEnvIds: [String(appEnvId)] })
  const other = { name: 'OTHER', value: 'text' }
  const changes: [AnyCommand, object][] = [
    [changeVariables, { appEnvId, variables: [other] }],
    [setVariables, { appEnvId, variables: [granted, other] }],
    [createJobRun, { appEnvId, command: 'env', envVars: [other] }],
    // Its containers have the password, and so it learns nothing.
    [
      createJobRun,
      { appEnvId, command: 'env', envVars: [{ name: 'PASSWORD', value: `\${${service.name}.password}` }] },
    ],
  ]
  for (const change of changes) expect((await dry(token, change))?.message ?? null).toBeNull()
  const job = await world.token({ kind: 'ENVIRONMENT', appEnvId: String(appEnvId) })
  for (const change of changes.slice(2)) expect((await dry(job.token, change))?.message ?? null).toBeNull()
})

test('copies of secrets for pull requests are turned on only with the scope for secrets', async () => {
  const { token: as } = await world.user({ roles: ['ADMIN'] })
  const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:write:config', 'svc:write:deploy'], as })
  const base = await world.appEnv({
    app: { useImage: false, image: undefined, gitRepo: 'https://git.example.com/a/b.git' },
    branch: 'main',
  })
  const settings = (copySecrets: boolean): [AnyCommand, object] => [
    setPullRequestEnvs,
    { appId: base.appId, baseAppEnvId: base.appEnvId, copySecrets },
  ]
  expect((await dry(token, settings(true)))?.reason).toBe('SCOPE_MISSING')
  expect((await dry(token, settings(false)))?.reason ?? null).toBeNull()
  expect((await dry(as, settings(true)))?.reason ?? null).toBeNull()
})
