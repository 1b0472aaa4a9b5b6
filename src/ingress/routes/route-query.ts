import type { ClientBase } from 'pg'
import { type Route, RouteTable, type TcpRoute } from './route-table.ts'

/** How often a replica was started in this time, whether the engine or Berth did it, before it is said to keep ending. */
const LOOP_MINUTES = 10
const LOOP_RESTARTS = 3

const CRASH_LOOP = `
  SELECT FROM container
   WHERE container.app_env_id = env.id AND container.content_id = env.current_content_id
     AND container.started_at > now() - interval '${LOOP_MINUTES} minutes'
   GROUP BY container.name
  HAVING sum(container.restart_count) + count(*) > ${LOOP_RESTARTS}`

/**
 * The whole table and the check whether it has changed, in one statement: one snapshot, so a host can never be
 * seen with the replicas of two versions, and a poll that finds nothing new carries 32 characters.
 */
const ROUTES = `
  WITH route AS MATERIALIZED (
    SELECT host.host,
           env.id AS "appEnvId",
           env.cli_env_name AS "cliEnvName",
           env.status::text AS status,
           env.current_content_id IS NOT NULL AS "hasDeployment",
           env.status = 'RUNNING' AND count(replica.name) = 0 AND EXISTS (${CRASH_LOOP}) AS "keepsEnding",
           coalesce(
             json_agg(json_build_object('name', replica.name, 'address', replica.address, 'port', replica.port,
                                        'contentId', replica.content_id)
                      ORDER BY replica.name) FILTER (WHERE replica.name IS NOT NULL),
             '[]'
           ) AS targets,
           CASE WHEN scaling.app_env_id IS NOT NULL THEN json_build_object(
             'concurrency', scaling.concurrency, 'maxScale', scaling.max_scale, 'idleSeconds', scaling.idle_seconds,
             'timeoutSeconds', scaling.timeout_seconds, 'revision', scaling.revision,
             'failure', CASE WHEN scaling.failures > 0 THEN json_build_object(
               'count', scaling.failures, 'reason', scaling.failure, 'pauseSeconds', scaling.pause_seconds) END) END AS scaling
      FROM host
      JOIN app_env env ON env.id = host.app_env_id AND env.deleted_at IS NULL
      LEFT JOIN request_scaling scaling ON scaling.app_env_id = env.id
      LEFT JOIN replica ON replica.app_env_id = env.id AND replica.state = 'READY'
                       AND replica.address IS NOT NULL AND replica.port BETWEEN 1 AND 65535
     WHERE host.status = 'VALID'
     GROUP BY host.id, env.id, scaling.app_env_id
  ), tcp AS MATERIALIZED (
    SELECT access.port,
           env.id AS "appEnvId",
           env.cli_env_name AS "cliEnvName",
           access.allowed_cidrs AS "allowedCidrs",
           access.max_connections AS "maxConnections",
           coalesce(
             json_agg(json_build_object('name', replica.name, 'address', replica.address, 'port', replica.port,
                                        'isReady', replica.state = 'READY')
                      ORDER BY replica.name) FILTER (WHERE replica.name IS NOT NULL),
             '[]'
           ) AS targets
      FROM external_access access
      JOIN app_env env ON env.id = access.app_env_id AND env.deleted_at IS NULL
      -- Replicas after the first one take no writes.
      LEFT JOIN replica ON replica.app_env_id = env.id AND replica.index = 0 AND replica.state IN ('READY', 'UNREADY')
                       AND replica.address IS NOT NULL AND replica.port BETWEEN 1 AND 65535
     WHERE access.port IS NOT NULL
     GROUP BY access.app_env_id, env.id
  ), digest AS (
    SELECT md5(concat_ws(chr(10),
                         (SELECT string_agg(route::text, chr(10) ORDER BY route.host) FROM route),
                         (SELECT string_agg(tcp::text, chr(10) ORDER BY tcp.port) FROM tcp))) AS value
  )
  SELECT digest.value AS digest, changed.*
    FROM digest
    LEFT JOIN LATERAL (
      SELECT (SELECT coalesce(json_agg(route ORDER BY route.host), '[]') FROM route) AS routes,
             (SELECT coalesce(json_agg(tcp ORDER BY tcp.port), '[]') FROM tcp) AS "tcpRoutes"
    ) changed ON digest.value IS DISTINCT FROM $1`

export interface ReadRoutes {
  /** Stands for the content of the table; hand it in next time. */
  digest: string
  /** Null when nothing has changed since the digest that was handed in. */
  table: RouteTable | null
}

/** Reads the routes as they are now, unless they still match `knownDigest`. */
export async function readRoutes(client: ClientBase, knownDigest: string | null): Promise<ReadRoutes> {
  const { rows } = await client.query<{ digest: string; routes: Route[] | null; tcpRoutes: TcpRoute[] | null }>({
    name: 'berth_ingress_routes',
    text: ROUTES,
    values: [knownDigest],
  })
  const row = rows[0]
  if (!row) throw new Error('The route query returned no row')
  return { digest: row.digest, table: row.routes && new RouteTable(row.routes, row.tcpRoutes ?? []) }
}
