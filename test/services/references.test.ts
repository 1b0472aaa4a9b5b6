import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { setVariables } from '../../src/services/app-env/variable-commands.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let accountId: string
let service: { appEnvId: string; cliEnvName: string }
let first: string
let second: string

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  accountId = await world.account()
  const database = { name: 'Cache', dockerPreset: 'REDIS', port: undefined, useImage: undefined, image: undefined }
  const { appEnvId } = await world.appEnv({ accountId, app: database })
  service = { appEnvId, ...(await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })) }
  first = (await world.appEnv({ accountId })).appEnvId
  second = (await world.appEnv({ accountId })).appEnvId
  const set = (id: string, values: Record<string, string>) =>
    world.perform(setVariables, {
      appEnvId: id,
      variables: Object.entries(values).map(([name, value]) => ({ name, value, isSecret: name === 'URL' })),
    })
  await set(first, {
    URL: `\${${service.cliEnvName}.internalUrl}/0`,
    CACHE_HOST: `\${${service.cliEnvName}.host}`,
    OTHER: `$\${${service.cliEnvName}.host}`,
  })
  await set(second, { CACHE_PASSWORD: `\${${service.cliEnvName}.password}` })
})

afterAll(async () => {
  await served?.close()
  await world?.close()
})

const read = async (appEnvId: string, token = world.adminToken) =>
  readRest(served, token, 'getAppEnvReferences', { appEnvId })

test('names the environments that refer to one, by which variables, and which of these hold credentials', async () => {
  const { body } = await read(service.appEnvId)
  expect(body.otherCount).toBe(0)
  expect(body.appEnvs).toMatchObject([
    { appEnvId: second, variables: [{ name: 'CACHE_PASSWORD', holdsCredentials: true }] },
    {
      appEnvId: first,
      variables: [
        { name: 'CACHE_HOST', holdsCredentials: false },
        { name: 'URL', holdsCredentials: true },
      ],
    },
  ])
  expect(JSON.stringify(body)).not.toContain('redis://')
  expect((await read(first)).body).toEqual({ appEnvs: [], otherCount: 0 })
})

test('is a field of the environment in GraphQL', async () => {
  const field = `appEnv(id: "${service.appEnvId}") { referencedBy { otherCount appEnvs { appEnvId variables { name } } } }`
  const { body } = await readGraphQL(served, world.adminToken, field)
  expect(body.referencedBy.appEnvs.map(({ appEnvId }: { appEnvId: string }) => appEnvId)).toEqual([second, first])
})

test('counts the environments that the caller may not read', async () => {
  const { token } = await world.user({ accountId, roles: ['TECHNICAL'], appEnvIds: [service.appEnvId, first] })
  const { body } = await read(service.appEnvId, token)
  expect(body.appEnvs.map(({ appEnvId }: { appEnvId: string }) => appEnvId)).toEqual([first])
  expect(body.otherCount).toBe(1)
  expect(JSON.stringify(body)).not.toContain(second)
  const { token: stranger } = await world.user({ accountId: await world.account() })
  expect((await read(service.appEnvId, stranger)).code).toBe('FORBIDDEN')
})

test('does not count an environment that is deleted', async () => {
  await world.perform(deleteAppEnv, { appEnvId: second })
  expect((await read(service.appEnvId)).body).toMatchObject({ appEnvs: [{ appEnvId: first }], otherCount: 0 })
})
