import { afterAll, beforeAll, expect, test } from 'vitest'
import { record } from '../../src/events/record.ts'
import { discardExpired } from '../../src/worker/retention.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_EVENT_RETENTION_HOURS: '2' } })
})

afterAll(() => world?.close())

const sequences = async (ledgerId: string) => {
  const events = await world.database.event.findMany({ where: { ledgerId }, orderBy: { sequence: 'asc' } })
  return events.map((event) => Number(event.sequence))
}

const expiredOf = async (id: string) =>
  Number((await world.database.ledger.findUniqueOrThrow({ where: { id } })).expiredSequence)

async function ledgerWith(id: string, events: number): Promise<void> {
  const event = { type: 'app.updated', payload: {} } as const
  await world.database.$transaction((tx) => record(tx, id, Array(events).fill(event)))
}

const age = (ledgerId: string, upTo: number) =>
  world.database
    .$executeRaw`UPDATE event SET created_at = now() - interval '3 hours' WHERE ledger_id = ${ledgerId} AND sequence <= ${upTo}`

test('events past their time go, and the mark for cursors moves with them', async () => {
  await ledgerWith('acc_old', 6)
  await ledgerWith('acc_new', 3)
  await age('acc_old', 4)
  await discardExpired(world.database, world.config)
  expect(await sequences('acc_old')).toEqual([5, 6])
  expect(await expiredOf('acc_old')).toBe(4)
  expect(await sequences('acc_new')).toEqual([1, 2, 3])
  expect(await expiredOf('acc_new')).toBe(0)
})

test('the newest event of a ledger is kept however old it is', async () => {
  await ledgerWith('acc_idle', 3)
  await age('acc_idle', 3)
  await discardExpired(world.database, world.config)
  expect(await sequences('acc_idle')).toEqual([3])
  expect(await expiredOf('acc_idle')).toBe(2)
})

test('answers to idempotency keys go when they expire', async () => {
  const answer = { callerId: 'tok_1', route: 'POST /app', requestHash: 'x', response: '{}' }
  const at = (ms: number) => new Date(Date.now() + ms)
  await world.database.idempotencyRecord.createMany({
    data: [
      { ...answer, key: 'gone', expiresAt: at(-1_000) },
      { ...answer, key: 'kept', expiresAt: at(60_000) },
    ],
  })
  await discardExpired(world.database, world.config)
  expect(await world.database.idempotencyRecord.findMany({ select: { key: true } })).toEqual([{ key: 'kept' }])
})
