import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateMember } from '../../src/services/account/member-commands.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { readGraphQL, readRest } from './read-apis.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
})

/** An environment with every action that is audited under another id than its own. */
async function lively(accountId: string, appId: string, name: string) {
  const { appEnvId } = await world.appEnv({ accountId, appId, name })
  const { operationId } = await world.perform(deployImage, { appEnvId, image: 'nginx:1' })
  await world.perform(cancelOperation, { operationId })
  const { tokenId } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  return { appEnvId, tokenId, ids: [appEnvId, operationId, tokenId] }
}

interface Entry {
  targetId: string
}

test('an auditor who is restricted to environments reads entries of those and of the account, page after page', async () => {
  const accountId = await world.account()
  const appId = await world.app({ accountId })
  const mine = await lively(accountId, appId, 'mine')
  const other = await lively(accountId, appId, 'other')
  const { token } = await world.user({ accountId, roles: ['AUDIT'], appEnvIds: [mine.appEnvId] })

  const seen: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = { accountId, limit: '2', ...(cursor ? { cursor } : {}) }
    const { body } = await readRest(served, token, 'listAudit', query)
    seen.push(...body.entries.map(({ targetId }: Entry) => targetId))
    cursor = body.nextCursor
  }
  expect(seen).toEqual(expect.arrayContaining([...mine.ids, appId, accountId]))
  for (const id of other.ids) expect(seen).not.toContain(id)

  const field = `auditLog(accountId: "${accountId}") { nodes { targetId } }`
  const { body } = await readGraphQL(served, token, field)
  expect(body.nodes.map(({ targetId }: Entry) => targetId)).toEqual(seen)
  const whole = await readRest(served, world.adminToken, 'listAudit', { accountId })
  expect(whole.body.entries.map(({ targetId }: Entry) => targetId)).toEqual(expect.arrayContaining(other.ids))
})

test('an admin who is restricted to environments reads no token of another', async () => {
  const accountId = await world.account()
  const appId = await world.app({ accountId })
  const mine = await lively(accountId, appId, 'mine')
  const other = await lively(accountId, appId, 'other')
  const { token } = await world.user({ accountId, roles: ['ADMIN'], appEnvIds: [mine.appEnvId] })
  for (const [{ tokenId }, code] of [
    [mine, null],
    [other, 'FORBIDDEN'],
  ] as const) {
    expect((await readRest(served, token, 'getToken', { tokenId })).code).toBe(code)
    expect((await readGraphQL(served, token, `token(id: "${tokenId}") { id }`)).code).toBe(code)
  }
})

test('a restriction can be sent back as it was read, even after one of its environments was deleted', async () => {
  const accountId = await world.account()
  const appId = await world.app({ accountId })
  const kept = await world.appEnv({ accountId, appId, name: 'kept' })
  const deleted = await world.appEnv({ accountId, appId, name: 'deleted' })
  const { userId } = await world.user({ accountId, appEnvIds: [deleted.appEnvId, kept.appEnvId] })
  await world.perform(deleteAppEnv, { appEnvId: deleted.appEnvId })
  const { body } = await readRest(served, world.adminToken, 'getMember', { accountId, userId })
  expect(body.appEnvIds).toEqual([kept.appEnvId])
  const again = await world.perform(updateMember, { accountId, userId, appEnvIds: body.appEnvIds })
  expect(again.appEnvIds).toEqual([kept.appEnvId])
})
