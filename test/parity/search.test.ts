import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { readGraphQL, readRest } from './read-apis.ts'
import { furnish, type Place } from './read-cases.ts'

let world: World
let served: Served
let place: Place

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  place = await furnish(world)
  const ofGit = { gitCommitId: '8f1c2d3a90bb' }
  await world.database.content.update({ where: { id: place.contentId }, data: ofGit })
  await world.database.host.create({
    data: { id: 'host_01h455vb4pex5vsknk084sn02q', appEnvId: place.appEnvId, host: 'shop.example.com' },
  })
})

afterAll(async () => {
  await served.close()
  await world.close()
})

const find = async (text: string, token = world.adminToken) => {
  const { body } = await readRest(served, token, 'searchAccount', { accountId: place.accountId, text })
  return body.results as { kind: string; id: string; name: string; appEnvId: string | null }[]
}

test.each([
  ['CACHE', 'APP', 'Cache'],
  ['SHOP.example', 'HOST', 'shop.example.com'],
  ['8f1c', 'DEPLOYMENT', '8f1c2d3a90bb'],
])('%s finds a %s', async (text, kind, name) => {
  expect(await find(text)).toContainEqual(expect.objectContaining({ kind, name }))
})

test('an environment is found by its CLI name, and leads to itself', async () => {
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: place.appEnvId } })
  expect(await find(cliEnvName)).toContainEqual(expect.objectContaining({ kind: 'APP_ENV', id: place.appEnvId }))
  const field = `search(accountId: "${place.accountId}", text: "${cliEnvName}") { kind appEnv { id } app { id } }`
  const { body } = await readGraphQL(served, world.adminToken, field)
  expect(body).toContainEqual({ kind: 'APP_ENV', appEnv: { id: place.appEnvId }, app: { id: place.appId } })
})

test('a sign of a pattern stands for itself, and a short commit finds nothing', async () => {
  expect(await find('%')).toEqual([])
  expect((await find('8f1')).filter(({ kind }) => kind === 'DEPLOYMENT')).toEqual([])
})

test('restricted members find what they may see, strangers nothing', async () => {
  expect((await find('8f1c', place.tokens.restricted)).length).toBe(0)
  const { code } = await readRest(served, place.tokens.stranger, 'searchAccount', {
    accountId: place.accountId,
    text: 'Cache',
  })
  expect(['FORBIDDEN', 'NOT_FOUND']).toContain(code)
})
