import type { ScalingStep } from '../../domain/request-scaling.ts'
import type { Database } from '../../storage/database/client.ts'
import { record } from '../../storage/events/record.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import { fenced } from '../claim/fenced.ts'
import { readScalingFacts, type ScalingFacts, stepFor } from './scaling-facts.ts'
import { finishDrain, shrink, sleepDeeper } from './sleep-stages.ts'
import { grow, type ScalingContext, wake, wakeFrozen } from './wake.ts'

/** A wake may be followed by more containers; anything else is done by the next round. */
const MAX_STEPS = 3
/** The engine's events of a change make it due anyway. */
const SOON_SECONDS = 1

/** Decides what requests ask for, and does it, under the environment's lease. Any worker may repeat it. */
export async function followRequests(
  scaling: ScalingContext,
): Promise<{ requeueAfterSeconds: number; observed: boolean }> {
  const { database, config, lease } = scaling
  let isChanged = false
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const [facts] = await readScalingFacts(database, config, { appEnvId: lease.appEnvId })
    const step = facts && stepFor(facts, config)
    if (!facts || !step) break
    isChanged = true
    if (!(await carryOut(scaling, facts, step))) break
  }
  if (isChanged) await announceWakes(database, lease)
  return { requeueAfterSeconds: isChanged ? SOON_SECONDS : config.BERTH_RECONCILE_SECONDS, observed: false }
}

/** True when another step may follow at once. */
async function carryOut(scaling: ScalingContext, facts: ScalingFacts, step: ScalingStep): Promise<boolean> {
  if (step.kind === 'WAKE' && (await wakeFrozen(scaling, facts))) return true
  const [{ context, appEnv }, [present]] = await Promise.all([
    scaling.load(),
    // Of a crowd, only the first may have been known when the wake was decided.
    step.kind === 'WAKE' ? readScalingFacts(scaling.database, scaling.config, { appEnvId: facts.appEnvId }) : [],
  ])
  switch (step.kind) {
    case 'WAKE':
      return wake(context, appEnv, present ?? facts)
    case 'GROW':
      await grow(context, appEnv, facts, step.containers)
      return false
    case 'SHRINK':
      await shrink(context, appEnv, step.containers)
      return false
    case 'FINISH_DRAIN':
      await finishDrain(context, appEnv, facts)
      return true
    case 'SLEEP_DEEPER':
      await sleepDeeper(context, appEnv, facts, step)
      return false
  }
}

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
async function announceWakes(database: Database, lease: AppEnvLease): Promise<void> {
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
