import type { Caller } from '../../calls/caller.ts'
import type { Config } from '../../config/config.ts'
import { forbidden } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { SignInMethod } from '../../storage/database/generated/prisma/enums.ts'
import { INSTALLATION_EVENTS } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import { hashOfSecret, newSecret } from '../../storage/secrets/token-secret.ts'
import type { Vault } from '../../storage/secrets/vault.ts'

export interface SessionTools {
  database: Database
  config: Config
  vault: Vault
}

/** Where a user signs in from. */
export interface SignInFrom {
  requestId: string
  address: string
  userAgent: string
}

export interface NewSession {
  userId: string
  method: SignInMethod
  /** The token that they signed in by: the session ends when it is revoked. */
  tokenId?: string
  /** The secret of the session that the browser had until now, of any user: it ends. */
  replaced?: string | null
}

export interface BegunSession {
  sessionId: string
  /** For the cookie. Only its hash is kept. */
  secret: string
  expiresAt: Date
}

const MAX_USER_AGENT = 200

/**
 * Begins a session of a user who has proved who they are, with a new secret, and records it. The
 * caller has checked the proof in the same transaction, or it cannot become invalid.
 */
export async function beginSession(
  tx: Transaction,
  { config, vault }: Omit<SessionTools, 'database'>,
  { userId, method, tokenId, replaced }: NewSession,
  { requestId, address, userAgent }: SignInFrom,
): Promise<BegunSession> {
  // One sign-in of a user at a time, so that the number of their sessions is counted.
  await tx.$queryRaw`SELECT 1 FROM "user" WHERE id = ${userId} FOR NO KEY UPDATE`
  if (replaced) await endReplaced(tx, replaced)
  await endOldest(tx, userId, config.BERTH_SESSIONS - 1)
  const secret = newSecret('SESSION')
  const sessionId = newId('ses')
  const [token] = await tx.$queryRaw<{ expiresAt: Date }[]>`
    INSERT INTO token (id, kind, name, hash, user_id, parent_id, scopes, expires_at)
    VALUES (${sessionId}, 'SESSION', 'Session', ${hashOfSecret(secret)}, ${userId}, ${tokenId ?? null}, '{}',
      now() + make_interval(hours => ${config.BERTH_SESSION_HOURS}::int))
    RETURNING expires_at AS "expiresAt"`
  if (!token) throw new Error('The database made no session')
  const from = { method, address, userAgent: userAgent.slice(0, MAX_USER_AGENT) }
  await tx.session.create({ data: { tokenId: sessionId, idleMinutes: config.BERTH_SESSION_IDLE_MINUTES, ...from } })
  const entry = {
    action: 'signIn',
    actorType: 'USER' as const,
    actorId: userId,
    tokenId: sessionId,
    requestId,
    targetType: 'session',
    targetId: sessionId,
    details: from,
  }
  await record(tx, INSTALLATION_EVENTS, [], { entry, heads: vault })
  return { sessionId, secret, expiresAt: token.expiresAt }
}

/**
 * Ends sessions of a user, and leaves what was made in them. Returns how many. To take back what was made in them too,
 * revoke them as tokens.
 */
export async function endSessions(
  tx: Transaction,
  of: { userId: string; sessionId?: string; except?: string },
): Promise<number> {
  return tx.$executeRaw`
    UPDATE token SET expires_at = now()
    WHERE kind = 'SESSION' AND user_id = ${of.userId} AND revoked_at IS NULL AND expires_at > now()
      AND (${of.sessionId ?? null}::text IS NULL OR id = ${of.sessionId ?? null})
      AND id IS DISTINCT FROM ${of.except ?? null}`
}

/** The browser gives up the secret, and no other client has it: the session would stay open without its user. */
async function endReplaced(tx: Transaction, secret: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE token SET expires_at = now()
    WHERE kind = 'SESSION' AND hash = ${hashOfSecret(secret)} AND revoked_at IS NULL AND expires_at > now()`
}

async function endOldest(tx: Transaction, userId: string, kept: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE token SET expires_at = now() WHERE id IN (
      SELECT id FROM token WHERE kind = 'SESSION' AND user_id = ${userId} AND revoked_at IS NULL AND expires_at > now()
      ORDER BY coalesce(last_used_at, created_at) DESC, id DESC OFFSET ${kept})`
}

const FRESH_MINUTES = 15

/**
 * Throws FORBIDDEN unless the caller is a person who has signed in a moment ago: an open browser must not be enough to
 * take the account over.
 */
export async function requireFreshSession(database: Pick<Database, '$queryRaw'>, { tokenId }: Caller): Promise<void> {
  const [session] = await database.$queryRaw<{ isFresh: boolean }[]>`
    SELECT created_at > now() - make_interval(mins => ${FRESH_MINUTES}::int) AS "isFresh"
    FROM token WHERE id = ${tokenId} AND kind = 'SESSION'`
  if (session?.isFresh) return
  throw forbidden('SIGN_IN_AGAIN', `You signed in more than ${FRESH_MINUTES} minutes ago: sign in again to change this`)
}
