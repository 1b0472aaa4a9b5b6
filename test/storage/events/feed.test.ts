import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { createDatabase, type Database } from '../../../src/storage/database/client.ts'
import { createEventFeed, type EventFeed, expireEvents } from '../../../src/storage/events/feed.ts'
import { record } from '../../../src/storage/events/record.ts'
import { createWakeups, type Wakeups } from '../../../src/storage/events/wakeups.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { take } from '../../support/transports.ts'

const log = pino({ level: 'silent' })
const config = readConfig({})
const statements: string[] = []
let held: TestDatabase
let database: Database
let wakeups: Wakeups
let feed: EventFeed
let accounts = 0
let eventSequenceId = ''

beforeAll(async () => {
  held = await createTestDatabase({ poolSize: 12, onQuery: (sql) => statements.push(sql) })
  database = held.database
  wakeups = createWakeups({ url: held.url, log })
  feed = createEventFeed({ database, wakeups, config, log })
})
beforeEach(() => {
  accounts += 1
  eventSequenceId = `acc_${accounts}`
})
afterAll(async () => {
  feed.close()
  await wakeups.close()
  await held.drop()
})

/** A transaction that does something before it records, and takes its time to commit. */
const write = (number: number, { before = 0, after = 0 } = {}) =>
  database.$transaction(async (tx) => {
    await sleep(before)
    await record(tx, eventSequenceId, [{ type: 'app.updated', payload: { number } }])
    await sleep(after)
  })

async function writeMany(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) await write(number)
}

const sequences = (events: { sequence: bigint }[]) => events.map(({ sequence }) => Number(sequence))
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('following an event sequence', () => {
  test('tells every event once and in order, though writers commit in any order', async () => {
    const following = take(feed.follow(eventSequenceId, { after: 0n }), 60)
    const writers = upTo(60).map((number) => write(number, { before: Math.random() * 40, after: Math.random() * 5 }))
    await Promise.all(writers)
    expect(sequences(await following)).toEqual(upTo(60))
  })

  test('goes on from any cursor without a gap or a repeat, while events keep coming', async () => {
    await writeMany(20)
    const writing = Promise.all(upTo(20).map((number) => write(20 + number, { before: number })))
    for (const after of [0, 1, 13, 20]) {
      const rest = await take(feed.follow(eventSequenceId, { after: BigInt(after) }), 40 - after)
      expect(sequences(rest)).toEqual(upTo(40).slice(after))
    }
    await writing
  })

  test('tells what a filter lets through', async () => {
    const even = feed.follow(eventSequenceId, { after: 0n, filter: ({ payload }) => Number(payload.number) % 2 === 0 })
    const following = take(even, 3)
    await writeMany(7)
    expect(sequences(await following)).toEqual([2, 4, 6])
  })

  test('gets events at once, not at the next poll', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const notified = createEventFeed({ database, wakeups, config, log })
    vi.useRealTimers()
    await write(1)
    const following = notified.follow(eventSequenceId, { after: 1n })
    const waiting = take(following, 1)
    await sleep(100)
    await write(2)
    expect(sequences(await waiting)).toEqual([2])
    await following.return()
    notified.close()
  })

  test('gets events without notifications as well', async () => {
    const deaf = createWakeups({ url: held.url, log })
    await deaf.close()
    const polling = createEventFeed({ database, wakeups: deaf, config, log })
    const following = polling.follow(eventSequenceId, { after: 0n })
    const first = following.next()
    await sleep(100)
    await write(1)
    expect((await first).value?.sequence).toBe(1n)
    await following.return()
    polling.close()
  })

  test('can be left while nothing happens', async () => {
    const following = feed.follow(eventSequenceId, { after: 0n })
    const waiting = following.next()
    await sleep(50)
    await following.return()
    expect((await waiting).done).toBe(true)
  })

  test('ends when the feed closes', async () => {
    const closing = createEventFeed({ database, wakeups, config, log })
    const waiting = closing.follow(eventSequenceId, { after: 0n }).next()
    await sleep(50)
    closing.close()
    expect((await waiting).done).toBe(true)
  })
})

describe('many followers', () => {
  test('cost no more statements than one', async () => {
    await write(1)
    const followers = upTo(2_000).map(() => feed.follow(eventSequenceId, { after: 1n }))
    const waiting = followers.map((following) => take(following, 5))
    await untilQuiet()
    await writeMany(5)
    for (const events of await Promise.all(waiting)) expect(sequences(events)).toEqual([2, 3, 4, 5, 6])
    expect(reads().length).toBeGreaterThan(0)
    expect(reads().length).toBeLessThanOrEqual(12)
    await Promise.all(followers.map((following) => following.return()))
  })

  test('are not dropped by a burst that is larger than the cap, as long as they read', async () => {
    const small = createEventFeed({ database, wakeups, config: { ...config, BERTH_SUBSCRIBER_BACKLOG_KB: 256 }, log })
    const following = upTo(20).map(() => take(small.follow(eventSequenceId, { after: 0n }), 100))
    await sleep(50)
    const burst = upTo(100).map((number) => ({
      type: 'app.updated' as const,
      payload: { number, padding: 'x'.repeat(20_000) },
    }))
    await database.$transaction((tx) => record(tx, eventSequenceId, burst))
    for (const events of await Promise.all(following)) expect(sequences(events)).toEqual(upTo(100))
    small.close()
  })

  test('do not wait for a slow one: it is dropped, gets an error that says so, and can resume', async () => {
    const small = createEventFeed({ database, wakeups, config: { ...config, BERTH_SUBSCRIBER_BACKLOG_KB: 2 }, log })
    const slow = small.follow(eventSequenceId, { after: 0n })
    const quick = take(small.follow(eventSequenceId, { after: 0n }), 30)
    const first = slow.next()
    await sleep(50)
    await writeMany(30)
    expect(sequences(await quick)).toEqual(upTo(30))
    expect((await first).value?.sequence).toBe(1n)
    await expect(slow.next()).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'TOO_SLOW' })
    expect(sequences(await take(small.follow(eventSequenceId, { after: 1n }), 29))).toEqual(upTo(30).slice(1))
    small.close()
  })
})

/** All have begun once nobody queries the bounds of the log any more; the poll each second does not. */
async function untilQuiet(): Promise<void> {
  const beginnings = () => statements.filter((sql) => /expired_sequence/.test(sql)).length
  for (let seen = -1; seen !== beginnings(); ) {
    seen = beginnings()
    await sleep(1_500)
  }
  statements.length = 0
}

const reads = () => statements.filter((sql) => /SELECT.*FROM "public"."event"/.test(sql))

describe('a database that goes away', () => {
  test('is waited for, and nothing is lost', async () => {
    const following = feed.follow(eventSequenceId, { after: 0n })
    await write(1)
    expect((await following.next()).value?.sequence).toBe(1n)
    const rest = take(following, 2)
    const admin = createDatabase({ url: held.url, poolSize: 1 })
    await admin.$executeRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    await admin.$disconnect()
    await until(() => write(2))
    await until(() => write(3))
    expect(sequences(await rest)).toEqual([2, 3])
  })
})

async function until(attempt: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await attempt()
      return
    } catch (error) {
      if (tries === 20) throw error
      await sleep(100)
    }
  }
}

describe('a cursor', () => {
  test('whose events are gone is refused, and not skipped over', async () => {
    await writeMany(5)
    await database.event.updateMany({
      where: { eventSequenceId, sequence: { lte: 3 } },
      data: { createdAt: new Date(0) },
    })
    expect(await expireEvents(database, 24)).toBe(3)
    await expect(feed.read(eventSequenceId, 1n)).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' })
    await expect(feed.follow(eventSequenceId, { after: 2n }).next()).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' })
    expect(sequences(await feed.read(eventSequenceId, 3n))).toEqual([4, 5])
    await write(6)
    expect(sequences(await feed.read(eventSequenceId, 3n))).toEqual([4, 5, 6])
  })

  test('that no event has had yet is refused', async () => {
    await writeMany(2)
    await expect(feed.read(eventSequenceId, 3n)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(await feed.head(eventSequenceId)).toBe(2n)
  })
})
