import { type Caller, userOf } from '../../calls/caller.ts'
import type { Database } from '../../storage/database/client.ts'
import type { SignInMethod } from '../../storage/database/generated/prisma/enums.ts'

export interface OpenSession {
  sessionId: string
  method: SignInMethod
  /** Of the browser that signed in. */
  address: string
  userAgent: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date
  /** Whether the call comes from it. */
  isCurrent: boolean
}

/** The caller's sessions that have not ended, the latest first. */
export async function listSessions(database: Database, caller: Caller): Promise<OpenSession[]> {
  const sessions = await database.$queryRaw<Omit<OpenSession, 'isCurrent'>[]>`
    SELECT t.id AS "sessionId", s.method, s.address, s.user_agent AS "userAgent", t.created_at AS "createdAt",
      t.last_used_at AS "lastUsedAt", t.expires_at AS "expiresAt"
    FROM token t JOIN session s ON s.token_id = t.id
    WHERE t.user_id = ${userOf(caller)} AND t.revoked_at IS NULL AND t.expires_at > now()
      AND coalesce(t.last_used_at, t.created_at) + make_interval(mins => s.idle_minutes) > now()
    ORDER BY t.id DESC`
  return sessions.map((session) => ({ ...session, isCurrent: session.sessionId === caller.tokenId }))
}
