import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteExpiredAnswers } from '../../src/worker/housekeeping/delete-expired.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world?.close())

test('answers to idempotency keys go when they expire, and not before', async () => {
  const answer = { callerId: 'tok_1', route: 'POST /app', requestHash: 'x', response: '{}' }
  const at = (ms: number) => new Date(Date.now() + ms)
  await world.database.idempotencyRecord.createMany({
    data: [
      { ...answer, key: 'gone', expiresAt: at(-1_000) },
      { ...answer, key: 'kept', expiresAt: at(60_000) },
    ],
  })
  expect(await deleteExpiredAnswers(world.database)).toBe(1)
  expect(await world.database.idempotencyRecord.findMany({ select: { key: true } })).toEqual([{ key: 'kept' }])
})
