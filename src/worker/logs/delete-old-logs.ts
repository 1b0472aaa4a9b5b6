import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { LINE_OVERHEAD_BYTES } from './log-stream.ts'

const BATCH = 10_000
const MAX_BATCHES = 50

/** Measurements of environments, each with its time. */
const SAMPLES = ['metric_sample', 'service_sample', 'request_sample', 'traffic_sample'].map((name) => Prisma.raw(name))

/**
 * Deletes lines and measurements past the plan's retention, then rows of containers without lines. Of a deleted
 * environment, deletes all of it. In batches, so that collection never waits for long.
 */
export async function deleteOldLogs(database: Database): Promise<number> {
  const kept = await database.$queryRaw<
    { appEnvId: string; logStreamIds: number[]; logDays: number; metricDays: number }[]
  >`
    SELECT e.id AS "appEnvId", coalesce(array_agg(s.id) FILTER (WHERE s.id IS NOT NULL), '{}') AS "logStreamIds",
      CASE WHEN e.deleted_at IS NULL THEN p.log_days ELSE 0 END AS "logDays",
      CASE WHEN e.deleted_at IS NULL THEN p.metric_days ELSE 0 END AS "metricDays"
    FROM app_env e LEFT JOIN log_stream s ON s.app_env_id = e.id JOIN account a ON a.id = e.account_id
    JOIN plan p ON p.code = a.plan_code GROUP BY e.id, p.code`
  let discarded = 0
  for (const { appEnvId, logStreamIds, logDays, metricDays } of kept) {
    for (const logStreamId of logStreamIds) discarded += await discardLines(database, logStreamId, logDays)
    for (const table of SAMPLES)
      discarded += await inBatches(
        () => database.$executeRaw`
          DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table}
            WHERE app_env_id = ${appEnvId} AND at < now() - make_interval(days => ${metricDays}) LIMIT ${BATCH})`,
      )
    await discardContainers(database, appEnvId, logDays)
  }
  return discarded
}

const discardLines = (database: Database, logStreamId: number, logDays: number): Promise<number> =>
  inBatches(() =>
    discard(
      database,
      logStreamId,
      Prisma.sql`at < (extract(epoch FROM now() - make_interval(days => ${logDays})) * 1000)::bigint * 1000000`,
    ),
  )

/** The stream's row is locked first, as writers do, and keeps the sum of what is left. */
const discard = (database: Database, logStreamId: number, condition: Prisma.Sql): Promise<number> =>
  database.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM log_stream WHERE id = ${logStreamId} FOR NO KEY UPDATE`
    const [gone] = await tx.$queryRaw<{ lines: number; bytes: number }[]>`
      WITH gone AS (
        DELETE FROM log_line WHERE log_stream_id = ${logStreamId} AND number IN (
          SELECT number FROM log_line WHERE log_stream_id = ${logStreamId} AND ${condition}
          ORDER BY number LIMIT ${BATCH})
        RETURNING octet_length(message) + ${LINE_OVERHEAD_BYTES} AS bytes
      )
      SELECT count(*)::int AS lines, coalesce(sum(bytes), 0)::float8 AS bytes FROM gone`
    if (!gone || gone.lines === 0) return 0
    await tx.$executeRaw`
      UPDATE log_stream SET bytes = greatest(0, bytes - ${gone.bytes}::bigint) WHERE id = ${logStreamId}`
    return gone.lines
  })

/**
 * Deletes the oldest lines of accounts that keep more than they may, each time from the largest of their logs: an account that
 * floods one loses its own history, and not that of the others.
 */
export async function trimLogs(database: Database, keptMb: number): Promise<number> {
  let discarded = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const [largest] = await database.$queryRaw<{ id: number }[]>`
      WITH streams AS (
        SELECT s.id, s.bytes, sum(s.bytes) OVER (PARTITION BY e.account_id) AS kept
        FROM log_stream s JOIN app_env e ON e.id = s.app_env_id
      )
      SELECT id FROM streams WHERE kept > ${keptMb}::bigint * 1024 * 1024 AND bytes > 0 ORDER BY bytes DESC LIMIT 1`
    if (!largest) break
    const lines = await discard(database, largest.id, Prisma.sql`true`)
    if (lines === 0) await database.$executeRaw`UPDATE log_stream SET bytes = 0 WHERE id = ${largest.id}`
    discarded += lines
  }
  return discarded
}

/** A container that has been removed for longer than the retention has no lines left. */
const discardContainers = (database: Database, appEnvId: string, logDays: number): Promise<number> =>
  database.$executeRaw`
    DELETE FROM container WHERE app_env_id = ${appEnvId} AND removed_at < now() - make_interval(days => ${logDays})`

async function inBatches(discard: () => Promise<number>): Promise<number> {
  let discarded = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const deleted = await discard()
    discarded += deleted
    if (deleted < BATCH) break
  }
  return discarded
}
