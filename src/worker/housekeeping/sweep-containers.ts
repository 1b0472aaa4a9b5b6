import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import type { Collector } from '../logs/collector.ts'
import { isOnEngine } from '../scope/engine-scope.ts'

/**
 * Containers of environments that are stopped, deleted or unknown, which no reconcile finds. What it finds changed, it has
 * the collector look at.
 */
export class ContainerSweep {
  readonly #context: WorkerContext
  readonly #wake: () => void
  /** The containers of each environment, as the last sweep found them. */
  readonly #seen = new Map<string, string>()

  constructor(context: WorkerContext, wake: () => void) {
    this.#context = context
    this.#wake = wake
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const { runtime, config, database, log, collector } = this.#context
    const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
    const observed = await runtime.observe({ isBrief: true }, bounds)
    notifyCollector(collector, observed, this.#seen)
    if (observed.length === 0) return
    const { unexpected, unknown } = await judge(database, observed)
    // The worker that claims the environment removes these, under its lease, after observing again.
    if (unexpected.length > 0) {
      await makeDue(database, unexpected)
      this.#wake()
    }
    for (const appEnvId of unknown) {
      log.warn({ appEnvId }, 'Removing containers of an environment that is not in the database')
      await runtime.remove({ appEnvId }, { ...bounds, graceSeconds: config.BERTH_STOP_GRACE_SECONDS })
    }
  }
}

/**
 * Has the collector look at environments whose output may have to be followed: something has changed there, or runs and
 * is not followed here. Nothing is inspected for those that sleep.
 */
function notifyCollector(
  collector: Pick<Collector, 'notify' | 'appEnvIds'>,
  observed: readonly ObservedReplica[],
  seen: Map<string, string>,
): void {
  const followed = new Set(collector.appEnvIds)
  const found = Map.groupBy(observed, ({ appEnvId }) => appEnvId)
  for (const [appEnvId, replicas] of found) {
    const facts = JSON.stringify(replicas.map(({ containerId, phase }) => [containerId, phase]))
    const isUnfollowed = !followed.has(appEnvId) && replicas.some(({ phase }) => phase === 'running')
    if (facts !== seen.get(appEnvId) || isUnfollowed) collector.notify(appEnvId)
    seen.set(appEnvId, facts)
  }
  for (const appEnvId of seen.keys()) if (!found.has(appEnvId)) seen.delete(appEnvId)
}

/** `unexpected`: environments that run something they should not, and that no worker holds. */
async function judge(database: Database, observed: readonly ObservedReplica[]) {
  const rolloutsOf = Map.groupBy(observed, (replica) => replica.appEnvId)
  const ids = [...rolloutsOf.keys()]
  const appEnvs = await database.$queryRaw<
    { id: string; rolloutId: string | null; known: string[]; isBusy: boolean }[]
  >`
    SELECT e.id, e.rollout_id AS "rolloutId", lease_expires_at > now() AS "isBusy",
      ARRAY(SELECT r.rollout_id FROM replica r WHERE r.app_env_id = e.id
        UNION SELECT o.id FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING')) AS known
    FROM app_env e WHERE e.id = ANY(${ids}::text[])`
  const known = new Set(appEnvs.map((appEnv) => appEnv.id))
  const hasUnexpected = ({ id, rolloutId, known, isBusy }: (typeof appEnvs)[number]) =>
    !isBusy && rolloutsOf.get(id)?.some((one) => one.rolloutId !== rolloutId && !known.includes(one.rolloutId))
  return {
    unexpected: appEnvs.filter(hasUnexpected).map((appEnv) => appEnv.id),
    unknown: ids.filter((id) => !known.has(id)),
  }
}

const RUNS_AT_ONCE = 50
/** Containers of ended runs slow the engine down: of one environment, only so many are kept until their time. */
const MAX_KEPT_RUNS = 100
const RECORDS_AT_ONCE = 1000

type RunSweepContext = Pick<WorkerContext, 'runtime' | 'scope' | 'engineHealth' | 'database' | 'config' | 'log'>

/** Removes containers of attempts that ended long enough ago. Their output is stored since their end was recorded. */
export async function removeEndedRuns(context: RunSweepContext, signal: AbortSignal): Promise<void> {
  const { runtime, scope, engineHealth, database, config } = context
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const ended = await database.$queryRaw<{ runId: string; number: number; containerId: string | null }[]>`
    SELECT run_id AS "runId", number, container_id AS "containerId" FROM (
      SELECT a.*, e.deleted_at, row_number() OVER (PARTITION BY r.app_env_id ORDER BY a.created_at DESC) AS rank
      FROM job_attempt a JOIN job_run r ON r.id = a.run_id JOIN app_env e ON e.id = r.app_env_id
      WHERE a.remove_at IS NOT NULL AND a.container_removed_at IS NULL
        AND ${isOnEngine(Prisma.sql`e.region_code`, scope)}) kept
    WHERE remove_at <= now() OR deleted_at IS NOT NULL OR rank > ${MAX_KEPT_RUNS} ORDER BY remove_at LIMIT ${RUNS_AT_ONCE}`
  for (const { runId, number, containerId } of ended) {
    if (containerId !== null) await runtime.removeRuns({ containerId }, bounds)
    await database.$executeRaw`
      UPDATE job_attempt SET container_removed_at = now() WHERE run_id = ${runId} AND number = ${number}`
  }
}

/**
 * Removes containers of runs that no record knows, and records that are older than they are kept. A release command that
 * has passed stays on record: a rollback must not run it again.
 */
export async function sweepRuns(context: RunSweepContext, signal: AbortSignal): Promise<void> {
  const { runtime, database, config, log } = context
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const observed = await runtime.observeRuns({}, bounds)
  // Read after the containers: an attempt is recorded before its container is created.
  const known = await database.jobAttempt.findMany({
    where: { runId: { in: [...new Set(observed.map(({ runId }) => runId))] } },
    select: { runId: true, number: true, containerId: true, finishedAt: true, containerRemovedAt: true },
  })
  const attempts = new Map(known.map((attempt) => [`${attempt.runId} ${attempt.number}`, attempt]))
  for (const { runId, attempt: number, containerId, name } of observed) {
    const attempt = attempts.get(`${runId} ${number}`)
    const isBeingMade = attempt?.containerId === null && attempt.finishedAt === null
    if (isBeingMade || (attempt?.containerId === containerId && !attempt.containerRemovedAt)) continue
    log.info({ container: name }, 'Removing a container of a job run that no record knows')
    await runtime.removeRuns({ containerId }, bounds)
  }
  await database.$executeRaw`
    DELETE FROM job_run WHERE id IN (SELECT r.id FROM job_run r
      WHERE (r.release_key IS NULL OR r.status <> 'SUCCEEDED') AND r.finished_at < now() - make_interval(days => ${config.BERTH_JOB_RUN_DAYS})
        AND NOT EXISTS (SELECT 1 FROM job_attempt a WHERE a.run_id = r.id AND a.container_removed_at IS NULL)
      LIMIT ${RECORDS_AT_ONCE})`
}

/** Removes tasks whose operation is over, of environments that no worker holds: a worker that was killed left them. */
export async function sweepTasks(
  { runtime, engineHealth, database, config, log }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const tasks = await runtime.observeTasks(bounds)
  if (tasks.length === 0) return
  // Read after the containers: those of an operation that begins now are not in the list.
  const busy = await database.$queryRaw<{ id: string }[]>`
    SELECT id FROM operation WHERE id = ANY(${tasks.map(({ operationId }) => operationId)}::text[])
      AND status IN ('QUEUED', 'RUNNING')
    UNION SELECT id FROM app_env WHERE id = ANY(${tasks.map(({ appEnvId }) => appEnvId)}::text[])
      AND lease_expires_at > now()`
  const isBusy = new Set(busy.map(({ id }) => id))
  for (const { name, appEnvId, operationId } of tasks) {
    if (isBusy.has(operationId) || isBusy.has(appEnvId)) continue
    log.info({ appEnvId, operationId, container: name }, 'Removing a task that a worker left behind')
    await runtime.removeTasks({ appEnvId, operationId }, bounds)
  }
}

/** Ends build containers that no open operation needs: an engine or a worker that was killed left them behind. */
export async function sweepBuildSteps(
  { imageBuilder, engineHealth, database, config }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const steps = await imageBuilder.buildSteps({}, bounds)
  if (steps.length === 0) return
  // Read after the containers: those of a build that begins now are not in the list.
  const busy = await database.operation.findMany({
    where: { appEnvId: { in: steps.map(({ appEnvId }) => appEnvId) }, status: { in: [...OPEN_STATUSES] } },
    select: { appEnvId: true },
  })
  const isBusy = new Set(busy.map(({ appEnvId }) => appEnvId))
  for (const { containerId, appEnvId } of steps) {
    if (!isBusy.has(appEnvId)) await imageBuilder.removeBuildStep(containerId, bounds)
  }
}
