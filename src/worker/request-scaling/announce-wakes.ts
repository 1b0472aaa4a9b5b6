import type { Database } from '../../storage/database/client.ts'
import { record } from '../../storage/events/record.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import { fenced } from '../claim/fenced.ts'

/** A function that wakes all the time must not crowd out other events. */
const PAUSE_SECONDS = 60

interface AnnouncedWake {
  accountId: string
  appId: string
  depth: string
  durationMs: number
  held: number
  failure: string | null
}

/**
 * Announces the wakes since the last such event in one event, at most once a minute. Not in the transaction of a wake,
 * for which requests wait.
 */
export async function announceWakes(database: Database, lease: AppEnvLease): Promise<void> {
  const { appEnvId } = lease
  await fenced(database, lease, async (tx) => {
    const wakes = await tx.$queryRaw<AnnouncedWake[]>`
      WITH announced AS (UPDATE wake SET announced_at = now()
        WHERE app_env_id = ${appEnvId} AND announced_at IS NULL AND NOT EXISTS (SELECT 1 FROM wake
          WHERE app_env_id = ${appEnvId} AND announced_at > now() - make_interval(secs => ${PAUSE_SECONDS}))
        RETURNING depth, duration_ms, held, failure, created_at, app_env_id)
      SELECT e.account_id AS "accountId", e.app_id AS "appId", depth::text AS depth, duration_ms AS "durationMs", held, failure
      FROM announced JOIN app_env e ON e.id = announced.app_env_id ORDER BY announced.created_at DESC`
    const [last] = wakes
    if (!last) return
    const { accountId, appId, depth, durationMs, held, failure } = last
    const slowestMs = Math.max(...wakes.map((one) => one.durationMs))
    const failed = wakes.filter((one) => one.failure !== null).length
    const payload = { depth, durationMs, held, failure, wakes: wakes.length, failed, slowestMs }
    await record(tx, accountId, [{ type: 'appEnv.woken', appId, appEnvId, payload }])
  })
}
