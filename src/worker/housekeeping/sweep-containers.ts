import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import type { Collector } from '../logs/collector.ts'

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
