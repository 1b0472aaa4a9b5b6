import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteOldCounts, sweepSignIns } from '../../../src/worker/housekeeping/delete-expired.ts'
import { serveRest } from '../../support/rest.ts'
import { webBrowser } from '../../support/web-browser.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let api: ReturnType<typeof serveRest>['api']

beforeAll(async () => {
  world = await createWorld()
  api = serveRest(world).api
})
afterAll(() => world?.close())

async function session() {
  const browser = webBrowser(api)
  await browser.post('/sign-in/token', { token: world.adminToken })
  return { browser, id: (await browser.get('/session')).body.sessionId as string }
}

test('housekeeping deletes sessions that ended long ago, except those with which something was made', async () => {
  const [present, ended, used, lately] = [await session(), await session(), await session(), await session()]
  const made = (await used.browser.post('/api/public/v1/token', { kind: 'USER', name: 'Laptop' })).body.token as string
  const end = (id: string, ago: string) =>
    world.database.$executeRaw`UPDATE token SET expires_at = now() - ${ago}::interval WHERE id = ${id}`
  for (const { id } of [ended, used]) await end(id, '31 days')
  await end(lately.id, '29 days')
  await sweepSignIns(world.database)
  const left = await world.database.session.findMany({ select: { tokenId: true } })
  expect(left.map(({ tokenId }) => tokenId).toSorted()).toEqual([present.id, used.id, lately.id].toSorted())
  await expect(world.services.authenticate(made)).resolves.toMatchObject({ kind: 'USER' })
})

test('housekeeping deletes counts and questions when they are over', async () => {
  await webBrowser(api).post('/sign-in/password', { email: 'nobody@example.com', password: 'wrong' })
  await world.database.$executeRaw`
    INSERT INTO sign_in_challenge (hash, purpose, expires_at) VALUES ('old', 'COMPANY', now() - interval '1 second'),
      ('new', 'COMPANY', now() + interval '1 minute')`
  await world.database.$executeRaw`
    UPDATE rate_count SET ends_at = now() WHERE key = (SELECT min(key) FROM rate_count)`
  await sweepSignIns(world.database)
  await deleteOldCounts(world.database)
  expect(await world.database.signInChallenge.findMany({ select: { hash: true } })).toEqual([{ hash: 'new' }])
  expect(await world.database.rateCount.count()).toBe(1)
})
