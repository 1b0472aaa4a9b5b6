import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { migrate } from '../src/storage/database/migrate.ts'
import { createFleet } from '../test/support/api-process.ts'
import type { BenchResult } from './bench-result.ts'
import { median } from './spread.ts'
import { createFollowedEnvironment } from './subscribers/followed-environment.ts'
import { type Measured, measure, now, type Subject } from './subscribers/measure.ts'

const SUBSCRIBERS = 10_000
const WARM_UP = 500
const ROUNDS = 3
const GAUGE = ['--expose-gc', '--import', join(import.meta.dirname, 'subscribers/gauge.ts')]
/** 200 bytes for each subscriber: less than that cannot be state kept for clients that have left. */
const MAX_LEFT_BYTES = 2_000_000

/** 10,000 WebSocket subscribers of one event stream: memory for each, and the time until all of them have an event. */
export async function benchSubscribers(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  await migrate(postgres.url)
  const settings = { BERTH_RATE_LIMIT: '1000000', BERTH_API_CONNECTIONS_PER_CLIENT: '20000' }
  const fleet = createFleet({ databaseUrl: postgres.url, nodeOptions: GAUGE, ipc: true, settings })
  const database = createDatabase({ url: postgres.url, poolSize: 4 })
  const bare = fork(join(import.meta.dirname, 'subscribers/bare-server.ts'), { execArgv: GAUGE })
  try {
    const [{ url }] = await once(bare, 'message')
    const api = await fleet.start()
    const { appEnvId, tokens, change } = await createFollowedEnvironment(database, api.url, api.token)
    let published = 1
    const theirs: Subject = {
      child: bare,
      opening: { url, tokens: [''], appEnvId },
      async publish() {
        published += 1
        const at = now()
        bare.send({ cursor: published })
        return at
      },
    }
    return await compare(theirs, { child: api.child, opening: { url: api.url, tokens, appEnvId }, publish: change })
  } finally {
    bare.kill()
    await fleet.stop()
    await database.$disconnect()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function compare(theirSubject: Subject, ourSubject: Subject): Promise<BenchResult[]> {
  const theirs: Measured[] = []
  const ours: Measured[] = []
  for (const subject of [theirSubject, ourSubject]) await measure(subject, WARM_UP)
  for (let round = 0; round < ROUNDS; round += 1) {
    theirs.push(await measure(theirSubject, SUBSCRIBERS))
    ours.push(await measure(ourSubject, SUBSCRIBERS))
  }
  const { left } = ours.at(-1) as Measured
  if (left.resources.length > 0 || left.heap > MAX_LEFT_BYTES)
    throw new Error(
      `After all subscribers had left there were still ${left.resources.join(', ')} and ${left.heap} bytes more`,
    )
  return results(theirs, ours)
}

function results(theirs: Measured[], ours: Measured[]): BenchResult[] {
  const of = (pick: (measured: Measured) => number) => ({
    ours: median(ours.map(pick)),
    theirs: median(theirs.map(pick)),
  })
  const heap = of(({ heapPerSubscriber }) => heapPerSubscriber)
  const resident = { ours: ours[0]?.residentPerSubscriber ?? 0, theirs: theirs[0]?.residentPerSubscriber ?? 0 }
  const p99 = of(({ p99 }) => p99)
  const against = ({ ours, theirs }: typeof p99, unit: string, by = 1) =>
    `${(ours / by).toFixed(1)} against ${(theirs / by).toFixed(1)} ${unit}`
  const common = { aim: 1.5, better: 'lower' } as const
  const who = `${SUBSCRIBERS} WebSocket subscribers, against bare graphql-ws`
  return [
    {
      name: `${who}: heap for each`,
      ratio: heap.ours / heap.theirs,
      ...common,
      detail: `${against(heap, 'KB', 1024)} after a full collection; after all have left, no socket, no timer and ${((ours.at(-1)?.left.heap ?? 0) / 1024).toFixed(0)} KB more than before`,
      limitedBy: 'the socket itself (ws and node:http), which is most of it in both',
    },
    {
      name: `${who}: resident memory for each`,
      ratio: resident.ours / resident.theirs,
      ...common,
      detail: against(resident, 'KB, the first time', 1024),
      limitedBy: 'what is read from the database once for each that comes, and is garbage by then',
    },
    {
      name: `${who}: p99 of the time until an event arrives`,
      ratio: p99.ours / p99.theirs,
      ...common,
      detail: `${against(p99, 'ms')}, from before the event is committed until a client has it; medians of ${ROUNDS} rounds`,
      limitedBy:
        'one write to one socket for each subscriber, then garbage collection. The event is worked out once for each of 100 tokens',
    },
  ]
}
