import type { Database, Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { MAX_CONTAINERS } from '../../storage/database/max-containers.ts'
import { record } from '../../storage/events/record.ts'
import { LeaseLost } from '../claim/abandoned.ts'
import { type AccountShares, byShare, mayTake, NO_SHARES } from '../claim/account-shares.ts'
import {
  type Claimant,
  type ClaimedRow,
  claimedBy,
  claimedRow,
  claimOf,
  GIVEN_BACK,
  isFree,
} from '../claim/leased-table.ts'
import { type EngineScope, INSTALLATION_ENGINE, isOnEngine } from '../scope/engine-scope.ts'
import { RunLease } from './run-lease.ts'

interface ClaimedRun extends ClaimedRow {
  appEnvId: string
}

/** The release command of a version whose deployment has ended is not needed. */
const isUnwanted = (run: Prisma.Sql) => Prisma.sql`
  ${run}.trigger = 'RELEASE' AND NOT EXISTS (SELECT 1 FROM operation o
    WHERE o.content_id = ${run}.content_id AND o.status IN ('QUEUED', 'RUNNING'))`
const UNWANTED = 'DEPLOYMENT_ENDED'

const RETURNING = Prisma.sql`RETURNING ${claimedRow(Prisma.sql`job_run`)}, job_run.app_env_id AS "appEnvId"`

const REGION = Prisma.sql`e.region_code`

/** Stopped, or about to be: the queue of such an environment waits. */
const IS_OPEN = Prisma.sql`
  e.deleted_at IS NULL AND e.status <> 'STOPPED' AND NOT EXISTS (SELECT 1 FROM operation o
    WHERE o.app_env_id = e.id AND o.kind IN ('STOP', 'DELETE') AND o.status IN ('QUEUED', 'RUNNING'))`

/** What `maxConcurrency` counts: release commands neither wait for other runs nor delay them. */
const isCounted = (run: Prisma.Sql) => Prisma.sql`${run}.status = 'RUNNING' AND ${run}.trigger <> 'RELEASE'`

export interface RunClaimant extends Claimant {
  /** Containers that an account may have at a time, those that its environments are configured with included. */
  accountContainers: number
  /** Whose runs; by default, those of the installation's engine. */
  scope?: EngineScope
  /** What accounts have under way. */
  shares?: AccountShares
}

/**
 * Claims a run without a lease, or admits the next one of a queue; null when there is none. A run waits while its
 * account has as many containers as it may.
 */
export async function claimRun(database: Database, claimant: RunClaimant): Promise<RunLease | null> {
  const { leaseSeconds } = claimant
  const askedAt = performance.now()
  const row = (await claimDue(database, claimant)) ?? (await admitNext(database, claimant))
  if (!row) return null
  return new RunLease(row.appEnvId, claimOf(row), leaseSeconds * 1000, askedAt)
}

/** Whether the account may have one more container: those of its environments at most, and of its runs now, are counted. */
const hasRoom = (accountId: Prisma.Sql, most: number) => Prisma.sql`
  ${most} > (SELECT coalesce(sum(${MAX_CONTAINERS}), 0) FROM app_env a
      WHERE a.account_id = ${accountId} AND a.deleted_at IS NULL)
    + (SELECT count(*) FROM job_run x WHERE x.account_id = ${accountId} AND x.status = 'RUNNING')`

async function claimDue(database: Database, claimant: RunClaimant): Promise<ClaimedRun | undefined> {
  const { scope = INSTALLATION_ENGINE } = claimant
  const [row] = await database.$queryRaw<ClaimedRun[]>`
    UPDATE job_run SET ${claimedBy(claimant)},
      cancel_reason = coalesce(cancel_reason, CASE WHEN ${isUnwanted(Prisma.sql`job_run`)} THEN ${UNWANTED} END)
    WHERE id = (
      SELECT d.id FROM job_run d JOIN app_env e ON e.id = d.app_env_id
      WHERE d.status = 'RUNNING' AND d.due_at <= now() AND ${isOnEngine(REGION, scope)}
        AND ${isFree(Prisma.sql`d`)}
      ORDER BY d.due_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
    ${RETURNING}`
  return row
}

/**
 * The oldest run of an environment leaves its queue when fewer run than may. Decided under the lock of the environment,
 * so that any number of workers together stay below the limit. The environment that runs least comes first.
 */
async function admitNext(database: Database, claimant: RunClaimant): Promise<ClaimedRun | undefined> {
  const { scope = INSTALLATION_ENGINE, shares = NO_SHARES } = claimant
  const [next] = await database.$queryRaw<{ appEnvId: string }[]>`
    SELECT h.app_env_id AS "appEnvId" FROM (
      SELECT DISTINCT ON (app_env_id) app_env_id, max_concurrency, queue_number,
        (SELECT count(*) FROM job_run x WHERE x.app_env_id = r.app_env_id AND ${isCounted(Prisma.sql`x`)}) AS running
      FROM job_run r WHERE status = 'QUEUED' ORDER BY app_env_id, queue_number) h
    JOIN app_env e ON e.id = h.app_env_id
    WHERE h.running < h.max_concurrency AND ${isOnEngine(REGION, scope)} AND ${IS_OPEN} AND ${mayTake(Prisma.sql`e.account_id`, shares)}
      AND ${hasRoom(Prisma.sql`e.account_id`, claimant.accountContainers)}
    ORDER BY ${byShare(Prisma.sql`e.account_id`, shares)}, h.running, h.queue_number LIMIT 1
    FOR UPDATE OF e SKIP LOCKED`
  if (!next) return undefined
  return database.$transaction((tx) => admit(tx, next.appEnvId, claimant))
}

async function admit(tx: Transaction, appEnvId: string, claimant: RunClaimant) {
  // The transaction that has the lock notifies workers when it commits, and is not held up by them.
  const [appEnv] = await tx.$queryRaw<{ appId: string; accountId: string }[]>`
    SELECT app_id AS "appId", account_id AS "accountId" FROM app_env e WHERE id = ${appEnvId} AND ${IS_OPEN} FOR UPDATE OF e SKIP LOCKED`
  if (!appEnv) return undefined
  // Every transaction that adds containers to the account takes this lock: two must not both find the last place.
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${appEnv.accountId} FOR NO KEY UPDATE`
  // A statement of its own: it sees what the one before had to wait for.
  const [row] = await tx.$queryRaw<ClaimedRun[]>`
    UPDATE job_run SET status = 'RUNNING', started_at = now(), due_at = now(), version = version + 1,
      ${claimedBy(claimant)}
    WHERE id = (
      SELECT id FROM job_run WHERE app_env_id = ${appEnvId} AND status = 'QUEUED' ORDER BY queue_number LIMIT 1
        FOR UPDATE)
      AND max_concurrency > (SELECT count(*) FROM job_run x WHERE app_env_id = ${appEnvId} AND ${isCounted(Prisma.sql`x`)})
      AND ${hasRoom(Prisma.sql`${appEnv.accountId}`, claimant.accountContainers)}
    ${RETURNING}`
  if (!row) return undefined
  const payload = { jobRunId: row.id, status: 'RUNNING' }
  await record(tx, row.accountId, [{ type: 'jobRun.started', appId: appEnv.appId, appEnvId, payload }])
  return row
}

/** Ends the leases that another worker has by now, and cancels the runs that are to end. */
export async function checkRuns(database: Database, leases: readonly RunLease[]): Promise<void> {
  const ids = leases.map(({ runId }) => runId)
  await database.$executeRaw`
    UPDATE job_run SET cancel_reason = ${UNWANTED}, version = version + 1 WHERE id IN (
      SELECT r.id FROM job_run r WHERE r.id = ANY(${ids}::text[]) AND r.status = 'RUNNING' AND r.cancel_reason IS NULL
        AND ${isUnwanted(Prisma.sql`r`)} FOR UPDATE SKIP LOCKED)`
  const rows = await database.$queryRaw<{ id: string; token: number; cancelReason: string | null }[]>`
    SELECT id, lease_token AS token, cancel_reason AS "cancelReason" FROM job_run WHERE id = ANY(${ids}::text[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const lease of leases) {
    const row = byId.get(lease.runId)
    if (row?.token !== lease.claim.token) lease.end(new LeaseLost(`Another worker has claimed ${lease.runId}`))
    else if (row.cancelReason) lease.cancel()
  }
}

/** Gives the run back, for another worker or a later time. */
export const releaseRun = (database: Database, { runId, claim }: RunLease): Promise<number> =>
  database.$executeRaw`
    UPDATE job_run SET ${GIVEN_BACK} WHERE id = ${runId} AND lease_token = ${claim.token}`
