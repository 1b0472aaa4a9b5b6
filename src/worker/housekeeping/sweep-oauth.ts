import type { InstallationContext } from '../context/worker-context.ts'

const BATCH = 5_000
/** Ended authorizations are shown for so long. */
const ENDED_DAYS = 30

/** Removes what OAuth has no more use for: notes and access tokens that expired, ended authorizations, unused clients. */
export async function sweepOauth({
  database,
  config,
}: Pick<InstallationContext, 'database' | 'config'>): Promise<void> {
  await database.$executeRaw`
    DELETE FROM oauth_state WHERE ctid IN (SELECT ctid FROM oauth_state WHERE expires_at < now() LIMIT ${BATCH})`
  // What an access token made has ended with it.
  await database.$executeRaw`
    DELETE FROM token WHERE id IN (
      SELECT id FROM token WHERE authorization_id IS NOT NULL
        AND (expires_at < now() - interval '1 day' OR revoked_at < now() - interval '1 day') LIMIT ${BATCH})`
  await database.$executeRaw`
    DELETE FROM oauth_authorization WHERE id IN (
      SELECT id FROM oauth_authorization
      WHERE least(expires_at, revoked_at) < now() - make_interval(days => ${ENDED_DAYS})
        -- The client never came for its tokens.
        OR (last_used_at IS NULL AND created_at < now() - interval '1 hour') LIMIT ${BATCH})`
  await database.$executeRaw`
    DELETE FROM oauth_client WHERE id IN (
      SELECT c.id FROM oauth_client c
      WHERE c.used_at < now() - make_interval(days => ${config.BERTH_OAUTH_CLIENT_DAYS})
        AND NOT EXISTS (SELECT 1 FROM oauth_authorization a WHERE a.client_id = c.id) LIMIT ${BATCH})`
}
