import { conflict, unauthenticated } from '../../domain/errors.ts'
import type { SessionEnd } from '../../domain/remote-session.ts'
import type { Database } from '../../storage/database/client.ts'
import { endRemoteSession, type SessionTools } from '../../storage/remote-sessions/end-remote-session.ts'
import { hashOfSecret } from '../../storage/secrets/token-secret.ts'
import { makerMay } from '../links/maker-may.ts'

/** The lease of the process that has a client. */
const HELD_SECONDS = 15
export const RENEWAL_MS = 5_000

/** A session whose client is connected to this process. */
export interface HeldSession {
  id: string
  accountId: string
  appEnvId: string
  tokenId: string
  /** Of a tunnel. */
  isTunnel: boolean
}

/**
 * Takes a session by its ticket, which works once. Throws UNAUTHENTICATED, and CONFLICT where its maker may not any
 * more.
 */
export async function redeemTicket({ database }: { database: Database }, ticket: string): Promise<HeldSession> {
  const [session] = await database.$queryRaw<HeldSession[]>`
    UPDATE remote_session SET ticket_hash = NULL, held_until = now() + make_interval(secs => ${HELD_SECONDS})
    WHERE ticket_hash = ${hashOfSecret(ticket)} AND held_until > now()
    RETURNING id, account_id AS "accountId", app_env_id AS "appEnvId", token_id AS "tokenId",
      command IS NULL AS "isTunnel"`
  if (!session) throw unauthenticated('The ticket is unknown, was used before, or has expired: ask for another one')
  if (!(await mayGoOn({ database }, session))) {
    await database.remoteSession.deleteMany({ where: { id: session.id } })
    throw conflict('TICKET_ENDED', 'The token that asked for the ticket has ended, or lacks the permission by now')
  }
  return session
}

/** Lets a worker serve the session, by a connection to this URL: from now on it is expected there. */
export async function callWorkers(
  { database }: { database: Database },
  { id, appEnvId }: HeldSession,
  relayUrl: string,
): Promise<void> {
  await database.$executeRaw`
    WITH called AS (UPDATE remote_session SET relay_url = ${relayUrl} WHERE id = ${id})
    SELECT pg_notify('berth_sessions', ${appEnvId})`
}

/** Whether the token that made it still works, and its owner still has the permission. */
export const mayGoOn = (
  { database }: { database: Database },
  { tokenId, accountId, appEnvId }: Pick<HeldSession, 'tokenId' | 'accountId' | 'appEnvId'>,
): Promise<boolean> => makerMay(database, tokenId, 'appEnv:exec', { accountId, appEnvId })

/** Whether a worker that connects has this session: it proves it by the key whose hash it left there. */
export async function isWorkerOf({ database }: { database: Database }, id: string, key: string): Promise<boolean> {
  const [found] = await database.$queryRaw<unknown[]>`
    UPDATE remote_session SET started_at = now(), worker_key_hash = NULL
    WHERE id = ${id} AND worker_key_hash = ${hashOfSecret(key)} RETURNING 1`
  return found !== undefined
}

/** Renews the lease on sessions. */
export const holdSessions = ({ database }: { database: Database }, ids: readonly string[]): Promise<number> =>
  database.$executeRaw`
    UPDATE remote_session SET held_until = now() + make_interval(secs => ${HELD_SECONDS})
    WHERE id = ANY(${ids}::text[])`

/** Records the end of a session of this process. */
export const endHeldSession = (tools: SessionTools, id: string, end: SessionEnd): Promise<boolean> =>
  endRemoteSession(tools, id, end)

/** Its worker is gone, and what it ran may go on: another worker kills that, and records the end. */
export async function leaveSession({ database }: { database: Database }, id: string): Promise<void> {
  await database.$executeRaw`
    UPDATE remote_session SET held_until = now(), worker_until = now() WHERE id = ${id}`
}
