import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { type EngineScope, INSTALLATION_ENGINE, isOnEngine } from '../scope/engine-scope.ts'
import { type AccountShares, byShare, mayTake, NO_SHARES } from './account-shares.ts'
import { AppEnvLease, type QueueName } from './app-env-lease.ts'
import { type ClaimedRow, claimedBy, claimedRow, claimOf, GIVEN_BACK, isFree, leaseEnd } from './leased-table.ts'

interface ClaimedAppEnv extends ClaimedRow {
  operationId: string | null
  dueAt: string
}

const APP_ENV = Prisma.sql`e`
const REGION = Prisma.sql`e.region_code`
const ACCOUNT = Prisma.sql`e.account_id`

// Operations have a queue of their own, so that a thousand due reconciles delay none of them. Those that lost their
// worker repeatedly run one at a time: whichever ends the next worker ends only itself.
const CANDIDATE: Readonly<
  Record<Exclude<QueueName, 'scalings'>, (isServed: Prisma.Sql, shares: AccountShares) => Prisma.Sql>
> = {
  operations: (isServed, shares) => Prisma.sql`
    SELECT e.id, o.id AS operation_id FROM operation o JOIN app_env e ON e.id = o.app_env_id
    WHERE o.status IN ('QUEUED', 'RUNNING') AND o.not_before <= now() AND ${isServed} AND ${mayTake(ACCOUNT, shares)}
      AND ${isFree(APP_ENV)}
      AND (NOT o.runs_alone OR NOT EXISTS (
        SELECT 1 FROM operation other JOIN app_env held ON held.id = other.app_env_id
        WHERE other.status IN ('QUEUED', 'RUNNING') AND other.runs_alone AND other.unfinished_claims > 0
          AND other.id <> o.id AND held.lease_expires_at >= now()))
    ORDER BY ${byShare(ACCOUNT, shares)}, o.created_at LIMIT 1 FOR UPDATE OF e SKIP LOCKED`,
  reconciles: (isServed, shares) => Prisma.sql`
    SELECT e.id, NULL::text AS operation_id FROM app_env e
    WHERE e.due_at <= now() AND ${isServed} AND ${mayTake(ACCOUNT, shares)} AND ${isFree(APP_ENV)}
      AND NOT EXISTS (SELECT 1 FROM operation o
        WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING') AND o.not_before <= now())
    ORDER BY e.due_at LIMIT 1 FOR UPDATE OF e SKIP LOCKED`,
}

/** Claims the environment to scale it for its requests; null while another claim is held. */
export const claimForRequests = (
  database: Database,
  appEnvId: string,
  owner: string,
  leaseSeconds: number,
  scope: EngineScope = INSTALLATION_ENGINE,
) =>
  claimCandidate(
    database,
    'scalings',
    Prisma.sql`
      SELECT e.id, NULL::text AS operation_id FROM app_env e
      WHERE e.id = ${appEnvId} AND ${isOnEngine(REGION, scope)} AND ${isFree(APP_ENV)}
      FOR UPDATE SKIP LOCKED`,
    owner,
    leaseSeconds,
  )

/**
 * Claims the environment that has been due longest, of the account that has least under way; null when none is. Moves `due_at` to the end of the lease: if this
 * worker dies, another takes over then. Work for requests reconciles nothing, so an earlier `due_at` stays. The claim is counted before anything is done under it, because work that ends
 * its worker has no later moment.
 */
export const claim = (
  database: Database,
  queue: keyof typeof CANDIDATE,
  owner: string,
  leaseSeconds: number,
  { scope = INSTALLATION_ENGINE, shares = NO_SHARES }: { scope?: EngineScope; shares?: AccountShares } = {},
) => claimCandidate(database, queue, CANDIDATE[queue](isOnEngine(REGION, scope), shares), owner, leaseSeconds)

async function claimCandidate(
  database: Database,
  queue: QueueName,
  candidate: Prisma.Sql,
  owner: string,
  leaseSeconds: number,
): Promise<AppEnvLease | null> {
  const askedAt = performance.now()
  const end = leaseEnd(leaseSeconds)
  const [row] = await database.$queryRaw<ClaimedAppEnv[]>`
    WITH candidate AS MATERIALIZED (${candidate}),
    counted AS (UPDATE operation o SET unfinished_claims = o.unfinished_claims + 1
      FROM candidate WHERE o.id = candidate.operation_id)
    UPDATE app_env e SET ${claimedBy({ owner, leaseSeconds })}, unfinished_claims = e.unfinished_claims + 1,
      due_at = ${queue === 'scalings' ? Prisma.sql`LEAST(e.due_at, ${end})` : end}
    FROM candidate WHERE e.id = candidate.id
    RETURNING ${claimedRow(APP_ENV)}, candidate.operation_id AS "operationId", e.due_at::text AS "dueAt"`
  if (!row) return null
  const { operationId, dueAt } = row
  const held = { ...claimOf(row), countedOperationId: operationId, queue, dueAt }
  return new AppEnvLease(held, leaseSeconds * 1000, askedAt)
}

interface Release {
  /** When the environment is due again, unless something makes it due sooner. */
  requeueAfterSeconds: number
  /** The engine was asked, and its answer is in the row. */
  observed: boolean
}

/**
 * Gives the environment back. It is due at the earliest of: the time a request set meanwhile (it moved `due_at`, and is
 * not lost), the next reconcile, and the next end of a drain. Work for requests leaves a reconcile that was due before.
 * Whatever came of it, this
 * worker is alive, so the claim does not count as one that cost a worker.
 */
export async function release(database: Database, { claim: held }: AppEnvLease, next: Release): Promise<void> {
  await database.$executeRaw`
    WITH released AS (UPDATE app_env e SET ${GIVEN_BACK}, unfinished_claims = 0,
      observed_at = CASE WHEN ${next.observed} THEN now() ELSE e.observed_at END,
      due_at = LEAST(
        CASE WHEN ${held.queue === 'scalings'} OR e.due_at <> ${held.dueAt}::timestamptz THEN e.due_at END,
        now() + make_interval(secs => ${next.requeueAfterSeconds}),
        (SELECT min(r.drain_until) FROM replica r
          WHERE r.app_env_id = e.id AND r.state = 'DRAINING' AND r.drain_until > now()))
    WHERE e.id = ${held.id} AND e.lease_token = ${held.token} RETURNING e.id)
    UPDATE operation o SET unfinished_claims = 0 FROM released
    WHERE o.id = ${held.countedOperationId} AND o.unfinished_claims > 0`
}
