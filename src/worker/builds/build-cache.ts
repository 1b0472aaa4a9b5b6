import type { Database, Transaction } from '../../storage/database/client.ts'

/** A builder: each account has one on each engine on which it builds. */
export interface BuilderOwner {
  accountId: string
  /** Key of the engine in the database. */
  engineKey: string
}

/** A build of an environment, under the lease with which its worker claimed it. */
interface Claim {
  appEnvId: string
  token: number
}

/** A request to clear a cache, and the time until when the worker that clears it keeps builds from beginning; null: its turn does. */
export interface Clearing {
  requestedAt: Date
  until: Date | null
}

/**
 * Keeps builds from beginning for this long while housekeeping clears a cache. When a worker dies meanwhile, builds of the account
 * wait no longer, and the cache is cleared again.
 */
export const CLEARING_SECONDS = 120

/**
 * Whether it is the turn of a build: no other one that asked before is under way, in any worker, and no worker clears
 * the cache. The first call puts it at the end of the queue. `clearing`: what it has to clear first.
 */
export async function lookForTurn(
  database: Database,
  owner: BuilderOwner,
  { appEnvId, token }: Claim,
): Promise<{ hasCome: boolean; clearing: Clearing | null }> {
  return await database.$transaction(async (tx) => {
    const { isBeingCleared, clearRequestedAt } = await lockCache(tx, owner)
    await deleteLostTurns(tx, owner)
    // Under the lock, so that numbers are in the order of commits.
    await tx.$executeRaw`
      INSERT INTO build_turn (account_id, engine_key, app_env_id, lease_token)
      VALUES (${owner.accountId}, ${owner.engineKey}, ${appEnvId}, ${token}) ON CONFLICT DO NOTHING`
    const [first] = await tx.$queryRaw<{ isOurs: boolean }[]>`
      SELECT app_env_id = ${appEnvId} AND lease_token = ${token} AS "isOurs" FROM build_turn
      WHERE account_id = ${owner.accountId} AND engine_key = ${owner.engineKey} ORDER BY number LIMIT 1`
    const hasCome = first?.isOurs === true && !isBeingCleared
    const clearing = hasCome && clearRequestedAt ? { requestedAt: clearRequestedAt, until: null } : null
    return { hasCome, clearing }
  })
}

/** The next build may begin. Without this it begins when the lease has changed hands. */
export const endTurn = async (database: Database, { appEnvId, token }: Claim): Promise<void> => {
  await database.buildTurn.deleteMany({ where: { appEnvId, leaseToken: token } })
}

/** Null where it is not to be cleared, it is being cleared already, or a build is under way: that one, or the next, clears it. */
export async function beginClearing(database: Database, owner: BuilderOwner): Promise<Clearing | null> {
  return await database.$transaction(async (tx) => {
    const { isBeingCleared, clearRequestedAt: requestedAt } = await lockCache(tx, owner)
    await deleteLostTurns(tx, owner)
    if (isBeingCleared || requestedAt === null || (await tx.buildTurn.count({ where: owner })) > 0) return null
    const [row] = await tx.$queryRaw<{ until: Date }[]>`
      UPDATE build_cache SET clearing_until = clock_timestamp() + ${CLEARING_SECONDS} * interval '1 second'
      WHERE account_id = ${owner.accountId} AND engine_key = ${owner.engineKey} RETURNING clearing_until AS until`
    return row ? { requestedAt, until: row.until } : null
  })
}

/** A request that came meanwhile stays. Nothing is written once another worker may be clearing it. */
export async function recordCleared(
  database: Database,
  { accountId, engineKey }: BuilderOwner,
  { requestedAt, until }: Clearing,
): Promise<void> {
  await database.$executeRaw`
    UPDATE build_cache SET size_bytes = 0, measured_at = now(), cleared_at = now(), clearing_until = NULL,
      clear_requested_at = nullif(clear_requested_at, ${requestedAt}::timestamptz)
    WHERE account_id = ${accountId} AND engine_key = ${engineKey}
      AND clearing_until IS NOT DISTINCT FROM ${until}::timestamptz`
}

/** As a build has reported it. */
export async function recordCacheSize(
  tx: Transaction,
  { accountId, engineKey }: BuilderOwner,
  bytes: number,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO build_cache (account_id, engine_key, size_bytes, measured_at)
    VALUES (${accountId}, ${engineKey}, ${Math.round(bytes)}, now())
    ON CONFLICT (account_id, engine_key) DO UPDATE SET size_bytes = excluded.size_bytes, measured_at = now()`
}

/** A worker that begins a build or a clearing holds this row. */
async function lockCache(tx: Transaction, { accountId, engineKey }: BuilderOwner) {
  await tx.$executeRaw`
    INSERT INTO build_cache (account_id, engine_key) VALUES (${accountId}, ${engineKey}) ON CONFLICT DO NOTHING`
  const [row] = await tx.$queryRaw<{ isBeingCleared: boolean; clearRequestedAt: Date | null }[]>`
    SELECT coalesce(clearing_until > clock_timestamp(), false) AS "isBeingCleared", clear_requested_at AS "clearRequestedAt"
    FROM build_cache WHERE account_id = ${accountId} AND engine_key = ${engineKey} FOR UPDATE`
  return row ?? { isBeingCleared: false, clearRequestedAt: null }
}

/** Those of builds whose worker has lost the environment: whatever still goes on there comes to nothing. */
async function deleteLostTurns(tx: Transaction, { accountId, engineKey }: BuilderOwner): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM build_turn t WHERE t.account_id = ${accountId} AND t.engine_key = ${engineKey}
      AND NOT EXISTS (SELECT 1 FROM app_env e WHERE e.id = t.app_env_id AND e.lease_token = t.lease_token
        AND e.lease_expires_at > clock_timestamp())`
}
