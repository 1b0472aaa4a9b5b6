import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { storageKeyOf, uploadFile, uploadsFolder } from '../../config/upload-files.ts'
import type { Database } from '../../storage/database/client.ts'
import type { InstallationContext } from '../context/worker-context.ts'

const ANSWERS_AT_ONCE = 5_000
const MAX_ANSWER_BATCHES = 20

/** Deletes answers to idempotency keys after their retention. Returns how many. */
export async function deleteExpiredAnswers(database: Database): Promise<number> {
  let discarded = 0
  for (let batch = 0; batch < MAX_ANSWER_BATCHES; batch += 1) {
    // Skips rows that another worker is deleting or a request is renewing.
    const deleted = await database.$executeRaw`
      DELETE FROM idempotency_record WHERE ctid IN (
        SELECT ctid FROM idempotency_record WHERE expires_at < now() LIMIT ${ANSWERS_AT_ONCE} FOR UPDATE SKIP LOCKED)`
    discarded += deleted
    if (deleted < ANSWERS_AT_ONCE) break
  }
  return discarded
}

const COUNTS_AT_ONCE = 10_000

/** Deletes counts of rate limits whose minute is over. */
export async function deleteOldCounts(database: Database): Promise<void> {
  // Skips rows that a request counts in, or another worker deletes.
  await database.$executeRaw`
    DELETE FROM rate_count WHERE ctid IN (
      SELECT ctid FROM rate_count WHERE ends_at < now() LIMIT ${COUNTS_AT_ONCE} FOR UPDATE SKIP LOCKED)`
}

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

/** Ended authorizations are shown for so long. */
const ENDED_AUTHORIZATION_DAYS = 30

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
      WHERE least(expires_at, revoked_at) < now() - make_interval(days => ${ENDED_AUTHORIZATION_DAYS})
        -- The client never came for its tokens.
        OR (last_used_at IS NULL AND created_at < now() - interval '1 hour') LIMIT ${BATCH})`
  await database.$executeRaw`
    DELETE FROM oauth_client WHERE id IN (
      SELECT c.id FROM oauth_client c
      WHERE c.used_at < now() - make_interval(days => ${config.BERTH_OAUTH_CLIENT_DAYS})
        AND NOT EXISTS (SELECT 1 FROM oauth_authorization a WHERE a.client_id = c.id) LIMIT ${BATCH})`
}

const DAY_MS = 86_400_000
/** Newest archives of each environment, which can be built again. */
const KEPT_UPLOADS = 5

/** Removes archives that will not be built any more from this machine's disk. */
export async function sweepUploads(config: Config, database: Database): Promise<void> {
  const folder = uploadsFolder(config)
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return
  await database.$executeRaw`
    DELETE FROM upload u WHERE (u.uploaded_at IS NULL AND u.expires_at < now())
      OR (u.uploaded_at < now() - interval '1 day' AND u.id NOT IN (
        SELECT n.id FROM upload n WHERE n.app_env_id = u.app_env_id ORDER BY n.id DESC LIMIT ${KEPT_UPLOADS}))`
  const ids = names.map(storageKeyOf)
  const known = await database.upload.findMany({ where: { id: { in: ids } }, select: { id: true, sha256: true } })
  const kept = new Set(known.flatMap(({ id, sha256 }) => (sha256 ? uploadFile(id, sha256) : [])))
  for (const name of names.filter((name) => !kept.has(name))) {
    const file = join(folder, name)
    // An upload that is being written has no row yet.
    const isRecent = (await stat(file)).mtimeMs > Date.now() - DAY_MS
    if (!isRecent) await rm(file, { force: true })
  }
}

/** Longer than any `idleSeconds`: when there last was a request is known from these rows. */
const LOADS_KEPT_HOURS = 25
const WAKES_KEPT_DAYS = 30
/** Of each environment; the metrics still count those before. */
const WAKES_KEPT = 1_000

/** Deletes what ended ingress processes have reported, and the history of old wakes. */
export async function deleteOldLoads(database: Database): Promise<void> {
  await database.$executeRaw`DELETE FROM ingress_session WHERE reported_at < now() - make_interval(hours => ${LOADS_KEPT_HOURS})`
  await database.$executeRaw`DELETE FROM request_load WHERE reported_at < now() - make_interval(hours => ${LOADS_KEPT_HOURS})`
  await database.$executeRaw`DELETE FROM wake WHERE created_at < now() - make_interval(days => ${WAKES_KEPT_DAYS})`
  await database.$executeRaw`
    DELETE FROM wake w USING (SELECT id, row_number() OVER (PARTITION BY app_env_id ORDER BY created_at DESC) AS number
      FROM wake) AS numbered WHERE w.id = numbered.id AND numbered.number > ${WAKES_KEPT}`
}
