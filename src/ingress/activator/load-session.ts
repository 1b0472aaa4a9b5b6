import { randomUUID } from 'node:crypto'
import { SAMPLE_SECONDS, SESSION_SECONDS } from '../../domain/request-scaling.ts'
import { ReportConnection } from '../connections/report-connection.ts'
import type { ReportedLoad } from './app-load.ts'

/**
 * One statement: the session, what has changed, the environments to act on, and what the other ingress processes have.
 */
const REPORT = `
  WITH session AS (
    INSERT INTO ingress_session (id, reported_at) VALUES ($1, now())
    ON CONFLICT (id) DO UPDATE SET reported_at = now()
  ), loads AS (
    INSERT INTO request_load AS l (ingress_id, app_env_id, in_flight, waiting, peak, by_replica, revision, active_at, reported_at)
    SELECT $1, r."appEnvId", r."inFlight", r.waiting, r.peak, r."byReplica", r.revision,
           now() - make_interval(secs => r."idleMs" / 1000.0), now()
      FROM jsonb_to_recordset($2::jsonb) AS r("appEnvId" text, "inFlight" int, waiting int, peak int, "byReplica" jsonb,
                                              revision int, "idleMs" float8)
    ON CONFLICT (ingress_id, app_env_id) DO UPDATE SET
      in_flight = excluded.in_flight, waiting = excluded.waiting, peak = excluded.peak,
      by_replica = excluded.by_replica, revision = excluded.revision,
      active_at = coalesce(excluded.active_at, l.active_at), reported_at = now()
  ), ended AS (
    INSERT INTO request_sample AS s (app_env_id, at, source, invocations, errors, queued_ms, durations)
    SELECT r."appEnvId", date_bin(interval '${SAMPLE_SECONDS} seconds', now(), 'epoch'), $1,
           (r.ended ->> 'invocations')::int, (r.ended ->> 'errors')::int, (r.ended ->> 'queuedMs')::bigint,
           ARRAY(SELECT jsonb_array_elements_text(r.ended -> 'durations')::int)
      FROM jsonb_to_recordset($2::jsonb) AS r("appEnvId" text, ended jsonb) WHERE jsonb_typeof(r.ended) = 'object'
    ON CONFLICT (app_env_id, at, source) DO UPDATE SET
      invocations = s.invocations + excluded.invocations, errors = s.errors + excluded.errors,
      queued_ms = s.queued_ms + excluded.queued_ms,
      durations = ARRAY(SELECT coalesce(was, 0) + coalesce(more, 0) FROM unnest(s.durations, excluded.durations) AS both_of(was, more))
  ), asked AS (
    SELECT pg_notify('berth_requests', id) FROM unnest($3::text[]) AS id
  )
  SELECT (SELECT count(*) FROM asked) AS asked, coalesce((
    SELECT jsonb_object_agg(other.app_env_id, other.requests) FROM (
      SELECT l.app_env_id, sum(l.in_flight + l.waiting) AS requests
        FROM request_load l JOIN ingress_session s ON s.id = l.ingress_id
       WHERE l.app_env_id = ANY($4::text[]) AND l.ingress_id <> $1
         AND s.reported_at > now() - interval '${SESSION_SECONDS} seconds'
       GROUP BY l.app_env_id) AS other), '{}') AS others`

/** The connection by which an ingress reports its requests: apart from that of the routes, so that none waits for it. */
export class LoadSession {
  readonly id = randomUUID()
  private readonly connection: ReportConnection

  constructor(databaseUrl: string) {
    this.connection = new ReportConnection(databaseUrl, 'berth-ingress-load')
  }

  /** Returns what other ingress processes have, of the named environments. Throws when the database does not answer. */
  async report(
    loads: readonly ReportedLoad[],
    asked: readonly string[],
    appEnvIds: readonly string[],
  ): Promise<Record<string, number>> {
    const client = await this.connection.get()
    try {
      const { rows } = await client.query<{ others: Record<string, number> }>({
        name: 'berth_request_load',
        text: REPORT,
        values: [this.id, JSON.stringify(loads), asked, appEnvIds],
      })
      return rows[0]?.others ?? {}
    } catch (error) {
      this.connection.drop()
      throw error
    }
  }

  /** Says that this process has no requests any more. */
  async close(): Promise<void> {
    const client = this.connection.current
    await client?.query('DELETE FROM ingress_session WHERE id = $1', [this.id]).catch(() => {})
    await this.connection.close()
  }
}
