import { afterAll, beforeAll, expect, test } from 'vitest'
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

const FIELD = 'auditLog(installation: true) { nodes { action targetId } }'

test('the installation’s admin reads its audit log through both APIs', async () => {
  const accountId = await world.account()
  const { body: rest } = await readRest(served, world.adminToken, 'listAudit', { installation: 'true' })
  expect(rest.entries.at(-1)).toMatchObject({ action: 'createAccount', targetId: accountId })
  const { body: graphql } = await readGraphQL(served, world.adminToken, FIELD)
  expect(graphql.nodes).toEqual(
    rest.entries.map(({ action, targetId }: Record<string, string>) => ({ action, targetId })),
  )
})

test('nobody else does, and it is not the log of an account as well', async () => {
  const accountId = await world.account()
  const { token } = await world.user({ accountId, roles: ['ADMIN'] })
  const rest = await readRest(served, token, 'listAudit', { installation: 'true' })
  expect(rest).toMatchObject({ code: 'FORBIDDEN' })
  const graphql = await readGraphQL(served, token, FIELD)
  expect(graphql.code).toBe(rest.code)
  const both = await readRest(served, world.adminToken, 'listAudit', { installation: 'true', accountId })
  expect(both.code).toBe('INVALID_INPUT')
  const own = await readRest(served, token, 'listAudit', { installation: 'false', accountId })
  expect(own.code ?? null).toBeNull()
})
