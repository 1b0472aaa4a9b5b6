import type { Config } from '../../config/config.ts'
import { backoff } from '../../domain/backoff.ts'
import { Failure } from '../../domain/failure.ts'
import { newId } from '../../domain/ids.ts'
import { replicaName } from '../../domain/replica-name.ts'
import { neededNow, SAMPLE_SECONDS } from '../../domain/request-scaling.ts'
import { type ObservedReplica, RuntimeError } from '../../engines/runtime/container-runtime.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { applyWithImage } from '../images/version-image.ts'
import { noteKind } from '../usage/frozen.ts'
import { servingRollout } from '../version/rollout.ts'
import { firstConnection, WakeFailed } from './first-connection.ts'
import type { ScalingFacts } from './scaling-facts.ts'

/** What a decision about one environment needs. */
export interface ScalingContext {
  database: Database
  config: Config
  lease: AppEnvLease
  /** What only some steps need: loading it takes as long as waking a frozen container. */
  load(): Promise<{ context: EnvironmentContext; appEnv: ClaimedAppEnv }>
  /** False: it ran already. */
  unfreeze(name: string): Promise<boolean>
}

const RETRY_SECONDS = { first: 2, max: 60 }

type Endpoint = Pick<ObservedReplica, 'name' | 'index' | 'containerId' | 'address' | 'port'>

/** The shortest way: a container that was frozen until now is where it was, and as ready. */
export async function wakeFrozen(scaling: ScalingContext, facts: ScalingFacts): Promise<boolean> {
  const { database, lease } = scaling
  const { sleeping } = facts
  if (facts.depth !== 'FROZEN' || !sleeping?.address || !sleeping.containerId) return false
  const startedAt = performance.now()
  try {
    // What runs already was started anew, perhaps at another address, and its former one may be another app's by now.
    if (!(await scaling.unfreeze(sleeping.name))) return false
  } catch (error) {
    // It has ended meanwhile, or is gone: it is brought up like every other container.
    if (error instanceof RuntimeError || isNotFound(error)) return false
    throw error
  }
  failpoint('container.started', facts.appEnvId)
  await fenced(database, lease, async (tx) => {
    await tx.$executeRaw`UPDATE replica SET state = 'READY', drain_until = NULL WHERE name = ${sleeping.name}`
    await recordWake(tx, facts, startedAt, null)
    await notifyIngresses(tx)
  })
  await noteKind(scaling, sleeping.containerId, 'COMPUTE')
  return true
}

const isNotFound = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'NOT_FOUND'

/**
 * Starts one container, which is there already or is made, and lets it take requests as soon as it accepts a connection.
 * Where a crowd waits for it, the others are started with it, and are found started when the number grows.
 */
export async function wake(context: EnvironmentContext, appEnv: ClaimedAppEnv, facts: ScalingFacts): Promise<boolean> {
  const startedAt = performance.now()
  try {
    const up = await bringUp(context, appEnv, facts, 0)
    await fenced(context.database, context.lease, async (tx) => {
      await saveEndpoint(tx, appEnv, up)
      await recordWake(tx, facts, startedAt, null)
      await notifyIngresses(tx)
    })
    return true
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await recordFailure(context, appEnv, facts, startedAt, error)
    return false
  }
}

/** More containers at once: each takes requests as soon as it accepts a connection. */
export async function grow(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  facts: ScalingFacts,
  containers: number,
): Promise<void> {
  const { database, lease, log } = context
  // Draining containers are up, and are only marked ready again. The number is recorded first: repair completes what is
  // cut off.
  const returned = await fenced(database, lease, async (tx) => {
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: { replicasDesired: containers } })
    const rows = await tx.replica.updateManyAndReturn({
      where: { appEnvId: appEnv.id, rolloutId: facts.rolloutId, state: 'DRAINING', index: { lt: containers } },
      data: { state: 'READY', drainUntil: null },
    })
    await notifyIngresses(tx)
    return rows.map(({ index }) => index)
  })
  const serving = appEnv.replicas.filter((row) => row.rolloutId === facts.rolloutId && row.state === 'READY')
  const present = new Set([...returned, ...serving.map(({ index }) => index)])
  const missing = Array.from({ length: containers }, (_, index) => index).filter((index) => !present.has(index))
  if (missing.length === 0) return
  const rollout = await servingRollout(context, appEnv, containers)
  await applyWithImage(context, appEnv, servingVersion(appEnv).content, rollout)
  const results = await Promise.allSettled(
    missing.map(async (index) => {
      const up = await firstConnection(context, appEnv, rollout, index)
      await fenced(database, lease, async (tx) => {
        await saveEndpoint(tx, appEnv, up)
        await notifyIngresses(tx)
      })
    }),
  )
  for (const result of results) {
    if (result.status === 'fulfilled') continue
    if (!(result.reason instanceof Failure)) throw result.reason
    // The others serve; reconciliation repairs this one like every other container.
    log.warn({ appEnvId: appEnv.id, reason: await context.quote(result.reason.message) }, 'A container did not come up')
  }
}

async function bringUp(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  { depth, sleeping, ...demand }: ScalingFacts,
  index: number,
): Promise<Endpoint> {
  const containers = Math.max(1, Math.min(demand.maxScale, neededNow(demand, demand)))
  const rollout = await servingRollout(context, appEnv, containers)
  if (depth === 'STOPPED' && sleeping && containers === 1) {
    const started = await context.engine.start(sleeping.name).catch((error: unknown) => {
      if (error instanceof RuntimeError || isNotFound(error)) return null
      throw error
    })
    if (started?.isConnected) return firstConnection(context, appEnv, rollout, index, started)
  }
  await applyWithImage(context, appEnv, servingVersion(appEnv).content, rollout)
  return firstConnection(context, appEnv, rollout, index)
}

function servingVersion({ id, currentContent: content, rolloutId }: ClaimedAppEnv) {
  if (!content || !rolloutId) throw new Error(`${id} serves no version`)
  return { content, rolloutId }
}

async function saveEndpoint(tx: Transaction, appEnv: ClaimedAppEnv, up: Endpoint): Promise<void> {
  const { content, rolloutId } = servingVersion(appEnv)
  const { index, containerId, address, port } = up
  const name = replicaName({ cliEnvName: appEnv.cliEnvName, version: content.version, rolloutId }, index)
  const route = { index, containerId, address, port, state: 'READY' as const, drainUntil: null }
  const create = { name, appEnvId: appEnv.id, contentId: content.id, rolloutId, ...route }
  await tx.replica.upsert({ where: { name }, create, update: route })
}

/** In one statement: requests wait for each of them. */
const recordWake = (tx: Transaction, facts: ScalingFacts, startedAt: number, failure: string | null) => {
  const { appEnvId, contentId, depth, waiting } = facts
  const isUp = failure === null
  const pauseSeconds = isUp ? 0 : backoff(RETRY_SECONDS, facts.failures)
  const reason = isUp
    ? `a request, after ${facts.ageSeconds.toFixed(0)} s ${depth?.toLowerCase()}`
    : Prisma.sql`depth_reason`
  return tx.$executeRaw`
    WITH scaling AS (UPDATE request_scaling SET
        depth = CASE WHEN ${isUp} THEN NULL ELSE 'NONE'::"SleepDepth" END,
        depth_since = CASE WHEN ${isUp} THEN now() ELSE depth_since END, depth_reason = ${reason},
        asleep_since = CASE WHEN ${isUp} THEN NULL ELSE asleep_since END, failure = ${failure},
        failures = CASE WHEN ${isUp} THEN 0 ELSE failures + 1 END, pause_seconds = ${pauseSeconds},
        retry_at = CASE WHEN ${isUp} THEN NULL ELSE now() + make_interval(secs => ${pauseSeconds}) END
      WHERE app_env_id = ${appEnvId}),
    env AS (UPDATE app_env SET replicas_desired = ${isUp ? 1 : 0}, replicas_running = ${isUp ? 1 : 0},
        replicas_ready = ${isUp ? 1 : 0}, health = CASE WHEN ${isUp} THEN 'HEALTHY' ELSE health END,
        observed_reason = CASE WHEN ${isUp} THEN NULL ELSE observed_reason END
      WHERE id = ${appEnvId}),
    sample AS (INSERT INTO request_sample AS s (app_env_id, at, source, cold_frozen, cold_stopped, cold_none)
      VALUES (${appEnvId}, date_bin(make_interval(secs => ${SAMPLE_SECONDS}), now(), 'epoch'), 'worker',
        ${isUp && depth === 'FROZEN' ? 1 : 0}, ${isUp && depth === 'STOPPED' ? 1 : 0}, ${isUp && depth === 'NONE' ? 1 : 0})
      ON CONFLICT (app_env_id, at, source) DO UPDATE SET cold_frozen = s.cold_frozen + excluded.cold_frozen,
        cold_stopped = s.cold_stopped + excluded.cold_stopped, cold_none = s.cold_none + excluded.cold_none)
    INSERT INTO wake (id, app_env_id, content_id, depth, duration_ms, held, failure)
    VALUES (${newId('wake')}, ${appEnvId}, ${contentId}, ${depth}::"SleepDepth",
      ${Math.round(performance.now() - startedAt)}, ${waiting}, ${failure})`
}

/** What was begun is removed. Clients of the app get the short reason, members of the account all of it. */
async function recordFailure(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  facts: ScalingFacts,
  startedAt: number,
  error: Failure,
): Promise<void> {
  const message = await context.quote(error.message)
  const short = error instanceof WakeFailed ? error.short : 'its container could not be started'
  context.log.warn({ appEnvId: appEnv.id, reason: error.reason }, `A sleeping app did not start: ${message}`)
  await fenced(context.database, context.lease, async (tx) => {
    await tx.replica.deleteMany({ where: { appEnvId: appEnv.id, state: 'ASLEEP' } })
    await recordWake(tx, facts, startedAt, short)
    const observed = { health: 'UNHEALTHY', observedReason: `It did not start: ${message}` } as const
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: observed })
    await notifyIngresses(tx)
  })
  await context.engine.remove({ rolloutId: facts.rolloutId }, context.graceSeconds)
}
