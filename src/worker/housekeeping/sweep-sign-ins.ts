import type { Database } from '../../storage/database/client.ts'

const BATCH = 5_000
/** The audit log names them, so they stay for a while. */
const ENDED_SESSION_DAYS = 30

/**
 * Deletes what is left of sign-ins: questions without an answer, and sessions that ended long ago. A session with which something was made stays, because what was made refers to it.
 */
export async function sweepSignIns(database: Database): Promise<void> {
  await database.$executeRaw`
    DELETE FROM sign_in_challenge WHERE hash IN (
      SELECT hash FROM sign_in_challenge WHERE expires_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`
  await database.$executeRaw`
    DELETE FROM token WHERE id IN (
      SELECT t.id FROM token t JOIN session s ON s.token_id = t.id
      WHERE least(t.expires_at, t.revoked_at) < now() - make_interval(days => ${ENDED_SESSION_DAYS}::int)
        AND NOT EXISTS (SELECT 1 FROM token child WHERE child.parent_id = t.id)
        AND NOT EXISTS (SELECT 1 FROM invitation i WHERE i.token_id = t.id)
        AND NOT EXISTS (SELECT 1 FROM oauth_authorization a WHERE a.parent_id = t.id)
        AND NOT EXISTS (SELECT 1 FROM upload u WHERE u.token_id = t.id)
      LIMIT ${BATCH} FOR UPDATE OF t SKIP LOCKED)`
}
