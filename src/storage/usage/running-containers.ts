import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../database/client.ts'
import { Prisma } from '../database/generated/prisma/client.ts'
import { lockOpenSince } from './usage-account.ts'
import { recordUsage, type Sighting } from './usage-log.ts'

/** Everything on the engine at one time. */
export interface Inventory {
  /** By the database, before the engine was asked. */
  at: Date
  sightings: readonly Sighting[]
  /** All containers that exist, seen well or not. */
  containerIds: readonly string[]
  /** Whether the engine runs the environment `e`; by default, every one. */
  isOfEngine?: Prisma.Sql
}

/** Writes what runs, what has ended and what is gone. Any number of workers may do so at the same time. */
export async function recordInventory(
  database: Database,
  { at, sightings, containerIds, isOfEngine = Prisma.sql`true` }: Inventory,
): Promise<void> {
  const running = sightings.filter(({ seen }) => seen.finishedAt === null)
  const reached = await database.$transaction((tx) => reachRunning(tx, running, at))
  failpoint('usage.written')
  await recordUsage(
    database,
    sightings.filter(({ containerId }) => !reached.has(containerId)),
  )
  await endGone(database, containerIds, at, isOfEngine)
}

/** In one statement for all that go on as they were. Workers take turns, so that they lock rows in one order. */
async function reachRunning(tx: Transaction, running: readonly Sighting[], at: Date): Promise<ReadonlySet<string>> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('usage/inventory', 0))`
  await lockOpenSince(
    tx,
    running.map(({ accountId }) => accountId),
  )
  const rows = await tx.$queryRaw<{ containerId: string }[]>`
    UPDATE usage_interval i SET until = greatest(i.until, ${at}::timestamptz)
    FROM usage_account a, unnest(${running.map(({ containerId }) => containerId)}::text[],
      ${running.map(({ seen }) => seen.runAt)}::timestamptz[], ${running.map(({ seen }) => seen.kind)}::text[])
      AS seen(container_id, run_at, kind)
    WHERE i.source_id = seen.container_id AND i.run_at = seen.run_at AND i.kind::text = seen.kind AND NOT i.has_ended
      AND i.started_at <= ${at}::timestamptz AND a.account_id = i.account_id AND i.until >= a.open_since
    RETURNING i.source_id AS "containerId"`
  return new Set(rows.map(({ containerId }) => containerId))
}

/**
 * It was removed at an unknown time: it is known to have run until it was last seen. What began later than the
 * engine was asked is not in its answer. What another engine runs is not in it either.
 */
const endGone = (
  database: Database,
  containerIds: readonly string[],
  at: Date,
  isOfEngine: Prisma.Sql,
) => database.$executeRaw`
  UPDATE usage_interval SET has_ended = true
  WHERE NOT has_ended AND kind IN ('COMPUTE', 'FROZEN', 'JOB_RUN') AND recorded_at < ${at}::timestamptz
    AND started_at <= ${at}::timestamptz AND source_id <> ALL(${[...containerIds]}::text[])
    AND NOT EXISTS (SELECT 1 FROM app_env e WHERE e.id = usage_interval.app_env_id AND NOT (${isOfEngine}))`
