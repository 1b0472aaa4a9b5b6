import type { Database } from '../database/client.ts'
import { Prisma } from '../database/generated/prisma/client.ts'

/** The lease of the worker that serves a session; it renews it three times as often. */
const WORKER_SECONDS = 15

export interface ClaimedSession {
  id: string
  accountId: string
  appEnvId: string
  container: string
  containerId: string
  /** Null for a tunnel. */
  command: [string, ...string[]] | null
  columns: number | null
  rows: number | null
  port: number | null
  /** Whether the port is the one that the app listens on. */
  isOwnPort: boolean
  relayUrl: string
}

interface Claimant {
  workerId: string
  keyHash: string
  /** Whether a region, by this column, is one whose containers the worker reaches. */
  isOurs: (regionCode: Prisma.Sql) => Prisma.Sql
}

/** Takes the oldest session whose client waits; null when there is none. */
export async function claimSession(
  database: Database,
  { workerId, keyHash, isOurs }: Claimant,
): Promise<ClaimedSession | null> {
  const [session] = await database.$queryRaw<ClaimedSession[]>`
    UPDATE remote_session SET worker_id = ${workerId}, worker_key_hash = ${keyHash},
      worker_until = now() + make_interval(secs => ${WORKER_SECONDS})
    WHERE id = (
      SELECT s.id FROM remote_session s JOIN app_env e ON e.id = s.app_env_id
      WHERE s.held_until > now() AND s.relay_url IS NOT NULL AND s.worker_id IS NULL
        AND ${isOurs(Prisma.sql`e.region_code`)}
      ORDER BY s.id LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
    RETURNING id, account_id AS "accountId", app_env_id AS "appEnvId", container, container_id AS "containerId",
      command, columns, rows, port, is_own_port AS "isOwnPort", relay_url AS "relayUrl"`
  return session ?? null
}

/** Renews the leases of a worker; returns the sessions that are still its own. */
export async function renewSessions(database: Database, workerId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await database.$queryRaw<{ id: string }[]>`
    UPDATE remote_session SET worker_until = now() + make_interval(secs => ${WORKER_SECONDS})
    WHERE id = ANY(${ids}::text[]) AND worker_id = ${workerId} RETURNING id`
  return rows.map(({ id }) => id)
}

export interface LostSession {
  id: string
  containerId: string
  isTunnel: boolean
  /** Whether its ticket was used. */
  wasRedeemed: boolean
  /** Whether a worker had it: its command may go on. */
  wasClaimed: boolean
}

/** Sessions that neither an API process nor a worker holds any more, and tickets that have expired. */
export const findLostSessions = (database: Database, isOurs: Claimant['isOurs']): Promise<LostSession[]> =>
  database.$queryRaw<LostSession[]>`
    SELECT s.id, s.container_id AS "containerId", s.command IS NULL AS "isTunnel",
      s.ticket_hash IS NULL AS "wasRedeemed", s.worker_id IS NOT NULL AS "wasClaimed"
    FROM remote_session s JOIN app_env e ON e.id = s.app_env_id
    WHERE s.held_until < now() AND (s.worker_until IS NULL OR s.worker_until < now())
      AND ${isOurs(Prisma.sql`e.region_code`)}
    ORDER BY s.id LIMIT 100`
