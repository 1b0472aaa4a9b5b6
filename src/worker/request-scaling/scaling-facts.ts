import type { Config } from '../../config/config.ts'
import {
  nextStep,
  type RequestDemand,
  type RequestScaling,
  type ScalingState,
  type ScalingStep,
  SESSION_SECONDS,
} from '../../domain/request-scaling.ts'
import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { type EngineScope, isOnEngine } from '../scope/engine-scope.ts'

/** A container that sleeps, as it was last recorded. */
export interface SleepingReplica {
  name: string
  containerId: string | null
  address: string | null
  port: number | null
}

/** What the decision about one environment is made from, read in one statement. */
export interface ScalingFacts extends RequestScaling, ScalingState, Omit<RequestDemand, 'idleSeconds'> {
  appEnvId: string
  contentId: string
  rolloutId: string
  status: 'RUNNING' | 'UPDATING'
  failures: number
  /** Time since the last request. */
  quietSeconds: number
  /** Containers that have requests, by name. */
  busy: string[]
  sleeping: SleepingReplica | null
}

type Where = { appEnvId: string } | { mayChangeOn: EngineScope }

/**
 * Those that are awake, that requests wait for, that have slept long enough at their depth, or for which memory is
 * short.
 */
const mayChange = ({ BERTH_FROZEN_MB, BERTH_FROZEN_SECONDS, BERTH_STOPPED_SECONDS }: Config): Prisma.Sql => Prisma.sql`
  s.depth IS NULL OR s.min_scale > 0 OR load.waiting > 0
  OR (s.depth = 'FROZEN' AND s.depth_since < now() - make_interval(secs => ${BERTH_FROZEN_SECONDS}))
  OR frozen.newer_mb + s.memory_mb > ${BERTH_FROZEN_MB}
  OR (s.depth = 'STOPPED' AND s.depth_since < now() - make_interval(secs => ${BERTH_STOPPED_SECONDS}))`

/** What was frozen more recently than each, on the same engine: a machine's memory holds it. */
const FROZEN = Prisma.sql`
  SELECT q.app_env_id,
    (sum(q.memory_mb) OVER (PARTITION BY CASE WHEN region.engine IS NOT NULL THEN region.code END
      ORDER BY q.depth_since DESC, q.app_env_id DESC) - q.memory_mb)::int AS newer_mb
  FROM request_scaling q JOIN app_env own ON own.id = q.app_env_id JOIN region ON region.code = own.region_code
  WHERE q.depth = 'FROZEN'`

/** Requests are counted in sessions that are alive; when there last was one is known of the others, too. */
const LOAD = Prisma.sql`
  SELECT coalesce(sum(l.in_flight) FILTER (WHERE i.id IS NOT NULL), 0)::int AS in_flight,
    coalesce(sum(l.waiting) FILTER (WHERE i.id IS NOT NULL), 0)::int AS waiting,
    coalesce(sum(l.peak) FILTER (WHERE i.id IS NOT NULL), 0)::int AS peak,
    max(l.active_at) AS active_at,
    coalesce(jsonb_agg(l.by_replica) FILTER (WHERE i.id IS NOT NULL), '[]') AS by_replica
  FROM request_load l LEFT JOIN ingress_session i
    ON i.id = l.ingress_id AND i.reported_at > now() - make_interval(secs => ${SESSION_SECONDS})
  WHERE l.app_env_id = s.app_env_id`

const ACKNOWLEDGED = Prisma.sql`
  NOT EXISTS (SELECT 1 FROM ingress_session i
    WHERE i.reported_at > now() - make_interval(secs => ${SESSION_SECONDS})
      AND NOT EXISTS (SELECT 1 FROM request_load l
        WHERE l.ingress_id = i.id AND l.app_env_id = s.app_env_id AND l.revision >= s.revision))`

export async function readScalingFacts(database: Database, config: Config, where: Where): Promise<ScalingFacts[]> {
  const condition =
    'appEnvId' in where
      ? Prisma.sql`s.app_env_id = ${where.appEnvId}`
      : Prisma.sql`${isOnEngine(Prisma.sql`e.region_code`, where.mayChangeOn)} AND (${mayChange(config)})`
  return database.$queryRaw<ScalingFacts[]>`
    WITH frozen AS MATERIALIZED (${FROZEN})
    SELECT s.app_env_id AS "appEnvId", e.current_content_id AS "contentId", e.rollout_id AS "rolloutId",
      e.status::text AS status, s.min_scale AS "minScale", s.max_scale AS "maxScale", s.concurrency,
      s.idle_seconds AS "idleSeconds", s.timeout_seconds AS "timeoutSeconds", s.failures,
      s.depth::text AS depth, extract(epoch FROM now() - s.depth_since)::float8 AS "ageSeconds",
      s.memory_mb AS "memoryMb", coalesce(s.retry_at <= now(), true) AS "mayWake",
      coalesce(frozen.newer_mb, 0) AS "newerMb",
      e.replicas_desired AS containers, replicas.draining, replicas.sleeping, ${ACKNOWLEDGED} AS "isAcknowledged",
      load.in_flight AS "inFlight", load.waiting, load.peak,
      extract(epoch FROM now() - greatest(load.active_at, s.depth_since))::float8 AS "quietSeconds",
      ARRAY(SELECT DISTINCT jsonb_object_keys(one) FROM jsonb_array_elements(load.by_replica) AS one) AS busy
    FROM request_scaling s JOIN app_env e ON e.id = s.app_env_id LEFT JOIN frozen ON frozen.app_env_id = s.app_env_id
    CROSS JOIN LATERAL (${LOAD}) AS load
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE r.state = 'DRAINING')::int AS draining,
        (array_agg(jsonb_build_object('name', r.name, 'containerId', r.container_id, 'address', r.address, 'port', r.port))
          FILTER (WHERE r.state = 'ASLEEP'))[1] AS sleeping
      FROM replica r WHERE r.app_env_id = e.id AND r.rollout_id = e.rollout_id) AS replicas
    WHERE e.deleted_at IS NULL AND e.status IN ('RUNNING', 'UPDATING') AND e.current_content_id IS NOT NULL
      AND e.rollout_id IS NOT NULL AND (${condition})`
}

/** Asks the rule. */
export const stepFor = (facts: ScalingFacts, config: Config): ScalingStep | null =>
  nextStep(facts, { ...facts, idleSeconds: facts.inFlight + facts.waiting > 0 ? 0 : facts.quietSeconds }, facts, {
    frozenMb: config.BERTH_FROZEN_MB,
    frozenSeconds: config.BERTH_FROZEN_SECONDS,
    stoppedSeconds: config.BERTH_STOPPED_SECONDS,
  })

/** The environments that the reports of ingresses ask to scale. The worker that claims one decides again. */
export async function findDueScalings({
  database,
  scope,
  config,
}: Pick<WorkerContext, 'database' | 'scope' | 'config'>): Promise<string[]> {
  const all = await readScalingFacts(database, config, { mayChangeOn: scope })
  return all.filter((facts) => stepFor(facts, config) !== null).map(({ appEnvId }) => appEnvId)
}
