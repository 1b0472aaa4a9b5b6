import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateApp } from '../../src/services/app/update-app.ts'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import { createCredential } from '../../src/services/credential/credential-commands.ts'
import { type ApiCall, callGraphQL, callRest } from '../parity/apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { LOGIN, type PatchRow, patchRows } from './patch-app-rows.ts'

let world: World
let served: Served
let credentialId: string
let passed = 0

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  const login = {
    type: 'CONTAINER_REGISTRY',
    name: 'login',
    data: { registry: 'registry.example.com', username: 'ann', password: 'secret' },
  }
  credentialId = (await world.perform(createCredential, { accountId: world.accountId, ...login })).credentialId
})

afterAll(async () => {
  await served.close()
  await world.close()
  console.info(`PATCH /app (§4.2): rows passed ${passed} of ${patchRows.length + immediate.length}, through both APIs`)
})

const apis: [name: string, call: ApiCall][] = [
  ['REST', callRest],
  ['GraphQL', callGraphQL],
]

/** The row with the login's id in place of its placeholder, and without undefined values. */
const inThisWorld = <T extends object>(fields: T): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === LOGIN ? credentialId : value]],
    ),
  )

const appOf = (appId: string) => world.database.app.findUniqueOrThrow({ where: { id: appId } })

async function pendingIn(appEnvId: string): Promise<string[]> {
  const caller = await world.services.authenticate(world.adminToken)
  const { pendingChanges } = await world.services.respond(getAppEnvStatus, { caller, requestId: 'req_1' }, { appEnvId })
  return pendingChanges.changes.map(({ kind, field }) => `${kind} ${field}`)
}

async function goThrough(call: ApiCall, { app, patch, becomes, pending }: PatchRow): Promise<void> {
  const { appId, appEnvId } = await world.appEnv({ app: inThisWorldOrUnset(app ?? {}), branch: 'main' })
  if (pending && app?.useImage === false) await world.build(appEnvId)
  else if (pending) await world.deploy(appEnvId)
  const before = await appOf(appId)
  const input = inThisWorld({ appId, ...patch })
  const outcome = await call(served.app, world.adminToken, { command: updateApp, input })
  const after = await appOf(appId)
  if ('refused' in becomes) {
    expect(after).toEqual(before)
    // GraphQL refuses a missing required field, or one that is no number, by its types and with its own messages.
    if (outcome.accepted) throw new Error('It was accepted')
    expect(['INVALID_INPUT', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT']).toContain(outcome.code)
    if (call === callRest) expect(outcome.fields).toEqual(becomes.refused)
    return
  }
  expect(outcome).toEqual({ accepted: true })
  expect(after).toMatchObject(inThisWorld(becomes))
  if (pending) expect(await pendingIn(appEnvId)).toEqual(pending)
}

/** An undefined value removes a default of the world, so it has to stay. */
const inThisWorldOrUnset = (fields: object) => ({ ...fields, ...inThisWorld(fields) })

describe('a row of PATCH /app', () => {
  test.each(patchRows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    for (const [, call] of apis) await goThrough(call, row)
    passed += 1
  })
})

/** applyImmediately, with the expected environmentsAffected and the environments that are updated. */
const immediate = [
  { title: 'applyImmediately false', fields: { port: 81, applyImmediately: false }, affected: 3, updating: 0 },
  { title: 'applyImmediately omitted', fields: { port: 81 }, affected: 3, updating: 0 },
  { title: 'applyImmediately true', fields: { port: 81, applyImmediately: true }, affected: 3, updating: 2 },
  {
    title: 'applyImmediately with nothing new',
    fields: { port: 8080, applyImmediately: true },
    affected: 0,
    updating: 0,
  },
]

describe('a row of PATCH /app, on an app with two environments that run and one that never did', () => {
  test.each(immediate)('$title', async ({ fields, affected, updating }) => {
    for (const change of [overRest, overGraphQL]) {
      const appId = await world.app()
      const appEnvIds: string[] = []
      for (const name of ['a', 'b', 'c']) appEnvIds.push((await world.appEnv({ appId, name })).appEnvId)
      for (const appEnvId of appEnvIds.slice(0, 2)) await world.deploy(appEnvId)
      const { name } = await appOf(appId)
      expect(await change({ appId, ...fields })).toEqual({
        appId,
        name,
        dockerPreset: 'CUSTOM',
        port: fields.port,
        environmentsAffected: affected,
      })
      expect(await world.database.appEnv.count({ where: { appId, status: 'UPDATING' } })).toBe(updating)
    }
    passed += 1
  })
})

const post = (path: string, method: string, body: unknown) =>
  served.app.request(path, {
    method,
    headers: { authorization: world.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

interface Answer {
  appId: string
  name: string
  dockerPreset: string
  port: number
  environmentsAffected: number
}

async function overRest(input: Record<string, unknown>): Promise<Answer> {
  const response = await post('/api/public/v1/app', 'PATCH', input)
  const { notApplied: _left, ...fields } = (await response.json()) as Answer & { notApplied?: unknown }
  return fields
}

async function overGraphQL(input: Record<string, unknown>): Promise<Answer> {
  const query = `mutation($input: UpdateAppInput!) { updateApp(input: $input) {
    environmentsAffected app { id name dockerPreset port } } }`
  const answer = (await (await post('/graphql', 'POST', { query, variables: { input } })).json()) as {
    data: { updateApp: { environmentsAffected: number; app: { id: string } & Omit<Answer, 'appId'> } }
  }
  const { environmentsAffected, app } = answer.data.updateApp
  const { id: appId, ...fields } = app
  return { ...fields, appId, environmentsAffected }
}
