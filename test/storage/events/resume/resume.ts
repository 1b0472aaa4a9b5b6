import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Database } from '../../../../src/storage/database/client.ts'
import { createFleet } from '../../../support/api-process.ts'
import { type Read, readEvents } from './reader.ts'
import { type Written, writeEvents } from './writers.ts'

const ACCOUNTS = 4
const READERS_OF_EACH = 3

export interface ResumeOptions {
  databaseUrl: string
  seed: number
  sessions: number
  events: number
  /** Kills one api process in the middle, and starts it again. */
  kills: boolean
}

export interface ResumeReport {
  events: number
  rolledBack: number
  overtaken: number
  readers: number
  connections: number
  /** In words; none when everything is as it should be. */
  problems: string[]
}

/**
 * Sessions write, to event sequences that all of them share, and readers on two api processes follow, over WebSocket and SSE,
 * cut at random. Afterwards each reader must have had every event once, in the order of the log.
 */
export async function proveResume({
  databaseUrl,
  seed,
  sessions,
  events,
  kills,
}: ResumeOptions): Promise<ResumeReport> {
  const fleet = createFleet({ databaseUrl, settings: { BERTH_RATE_LIMIT: '1000000' } })
  const processes = await Promise.all([fleet.start(), fleet.start()])
  const database = createDatabase({ url: databaseUrl, poolSize: 2 })
  try {
    const urls = () => processes.map(({ url }) => url)
    const eventSequenceIds = await openAccounts(urls()[0] ?? '', fleet.token, seed)
    let last: Map<string, string> | null = null
    const readers = Array.from({ length: ACCOUNTS * READERS_OF_EACH }, (_, index) => {
      const accountId = eventSequenceIds[index % ACCOUNTS] ?? ''
      const own = { seed: seed * 100 + index, accountId, last: () => last?.get(accountId) ?? null }
      return readEvents({ ...own, urls, token: fleet.token })
    })
    const reading = Promise.all(readers)
    // Should a reader fail while writers are at it, they are not left to write into nothing unheard.
    reading.catch(() => {})
    const writing = writeEvents({ databaseUrl, seed, sessions, count: events, eventSequenceIds })
    if (kills) await replaceOne(fleet, processes)
    const written = await writing
    last = await lastOf(database, eventSequenceIds)
    return await verdict(database, written, await reading)
  } finally {
    await database.$disconnect()
    await fleet.stop()
  }
}

type Fleet = ReturnType<typeof createFleet>

async function replaceOne(fleet: Fleet, processes: Awaited<ReturnType<Fleet['start']>>[]): Promise<void> {
  await sleep(500)
  await processes[1]?.end('SIGKILL')
  processes[1] = await fleet.start()
}

async function openAccounts(url: string, token: string, seed: number): Promise<string[]> {
  const accountIds: string[] = []
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const response = await fetch(`${url}/api/public/v1/account`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Account ${seed} ${index}` }),
    })
    const { accountId } = (await response.json()) as { accountId?: string }
    if (!accountId) throw new Error(`No account was made: ${response.status}`)
    accountIds.push(accountId)
  }
  return accountIds
}

async function lastOf(database: Database, ids: string[]): Promise<Map<string, string>> {
  const counters = await database.eventSequence.findMany({ where: { id: { in: ids } } })
  return new Map(counters.map(({ id, lastEventSequence }) => [id, String(lastEventSequence)]))
}

async function verdict(database: Database, written: Written, reads: Read[]): Promise<ResumeReport> {
  const problems: string[] = []
  for (const [eventSequenceId, committed] of written.committed) {
    const log = await database.event.findMany({ where: { eventSequenceId }, orderBy: { sequence: 'asc' } })
    const isGapFree = log.every(({ sequence }, index) => sequence === BigInt(index + 1))
    if (!isGapFree) problems.push(`The log of ${eventSequenceId} has gaps`)
    const texts = log.flatMap(({ payload }) => (payload as { text?: string }).text ?? [])
    if (texts.toSorted().join() !== committed.toSorted().join())
      problems.push(
        `The log of ${eventSequenceId} holds ${texts.length} events, and ${committed.length} were committed`,
      )
    const expected = log.map(({ sequence, payload }) => `${sequence}:${JSON.stringify(payload)}`).join('\n')
    for (const { arrived } of reads.filter(({ accountId }) => accountId === eventSequenceId)) {
      const got = arrived.map(({ cursor, event }) => `${cursor}:${JSON.stringify(event?.payload)}`).join('\n')
      if (got !== expected)
        problems.push(`A reader of ${eventSequenceId} got ${arrived.length} events of ${log.length}, or others`)
    }
  }
  return {
    events: [...written.committed.values()].reduce((sum, texts) => sum + texts.length, 0),
    rolledBack: written.rolledBack,
    overtaken: written.overtaken,
    readers: reads.length,
    connections: reads.reduce((sum, { connections }) => sum + connections, 0),
    problems,
  }
}
