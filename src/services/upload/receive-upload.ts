import { createHash, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../../config/config.ts'
import { uploadPath, uploadsFolder } from '../../config/upload-files.ts'
import { conflict, DomainError, notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Upload } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { makeFolder, moveIntoPlace, writeDraft } from '../../storage/files/durable-files.ts'
import { makerMay } from '../links/maker-may.ts'
import { hashOf } from './request-storage-key.ts'

const BYTES_PER_MB = 1024 * 1024

interface Received {
  storageKey: string
  sizeBytes: number
  sha256: string
}

/**
 * Streams an archive to disk, under the name that a build expects, and says so once a power cut cannot take it. An
 * interrupted upload leaves nothing behind, and may be repeated until a build has been requested.
 */
export async function receiveUpload(
  { database, config }: { database: Database; config: Config },
  { storageKey, secret, declaredBytes }: { storageKey: string; secret: string; declaredBytes?: number | undefined },
  body: AsyncIterable<Uint8Array>,
): Promise<Received> {
  await getOpen(database, storageKey, secret)
  const maxBytes = declaredBytes ?? config.BERTH_SOURCE_LIMIT_MB * BYTES_PER_MB
  await using _slot = await openUploadSlot({ database, config }, { storageKey, maxBytes })
  const folder = uploadsFolder(config)
  makeFolder(folder)
  const draft = join(folder, `${storageKey}.${randomUUID()}.part`)
  try {
    const { sizeBytes, sha256 } = await write(body, draft, maxBytes)
    // Checked again: it may have been built, or have expired, during the transfer.
    const before = await getOpen(database, storageKey, secret)
    // Under a separate name: a build of the previous upload must not find this file instead.
    await moveIntoPlace(draft, uploadPath(folder, storageKey, sha256))
    const data = { sizeBytes: BigInt(sizeBytes), sha256, uploadedAt: await databaseTime(database) }
    const { count } = await database.upload.updateMany({ where: { id: storageKey, notifiedAt: null }, data })
    const unused = count === 0 ? sha256 : before.sha256 === sha256 ? null : before.sha256
    if (unused) await rm(uploadPath(folder, storageKey, unused), { force: true })
    if (count === 0) throw alreadyBuilt()
    return { storageKey, sizeBytes, sha256 }
  } finally {
    await rm(draft, { force: true })
  }
}

/** Reveals nothing about uploads to a client that does not know the secret. */
async function getOpen(database: Database, storageKey: string, secret: string): Promise<Upload> {
  const upload = await database.upload.findFirst({
    where: { id: storageKey, secretHash: hashOf(secret), appEnv: { deletedAt: null } },
    include: { appEnv: { select: { accountId: true } } },
  })
  if (!upload) throw notFound('upload', storageKey)
  const on = { accountId: upload.appEnv.accountId, appEnvId: upload.appEnvId }
  if (!(await makerMay(database, upload.tokenId, 'appEnv:operate', on)))
    throw conflict(
      'UPLOAD_EXPIRED',
      'The token that asked for the upload URL has ended, or may not operate the environment any more; ask for a new one',
    )
  if (upload.notifiedAt) throw alreadyBuilt()
  if (upload.expiresAt < (await databaseTime(database)))
    throw conflict('UPLOAD_EXPIRED', 'The upload URL has expired; ask for a new one')
  return upload
}

const alreadyBuilt = () => conflict('ALREADY_BUILT', 'A build of this upload has been asked for; ask for a new key')

async function write(body: AsyncIterable<Uint8Array>, file: string, maxBytes: number) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      hash.update(chunk)
      // The reservation within the account's budget is for no more.
      done(sizeBytes > maxBytes ? tooLarge(maxBytes / BYTES_PER_MB) : null, chunk)
    },
  })
  await pipeline(body, counted, (chunks: AsyncIterable<Uint8Array>) => writeDraft(file, chunks))
  if (sizeBytes === 0) throw new DomainError('INVALID_INPUT', 'UPLOAD_EMPTY', 'The archive is empty')
  return { sizeBytes, sha256: hash.digest('hex') }
}

export const tooLarge = (limitMb: number): DomainError =>
  new DomainError('PAYLOAD_TOO_LARGE', undefined, `The archive is larger than ${Math.ceil(limitMb)} MB`)

/** A process that was killed during a PUT blocks its key for this long. */
const LEASE_SECONDS = 30
const RENEWAL_MS = (LEASE_SECONDS * 1000) / 3

/**
 * Reserves the one place that a key has for a PUT, and its bytes within the budget of the account. Disposing gives them
 * back. Throws RATE_LIMITED while another PUT is under way, and PAYLOAD_TOO_LARGE when the budget is used up.
 */
async function openUploadSlot(
  { database, config }: { database: Database; config: Config },
  { storageKey, maxBytes }: { storageKey: string; maxBytes: number },
) {
  await database.$transaction(async (tx) => {
    // One account at a time: two PUTs must not both find the budget's last bytes.
    const [account] = await tx.$queryRaw<{ id: string }[]>`
      SELECT a.id FROM account a JOIN app_env e ON e.account_id = a.id JOIN upload u ON u.app_env_id = e.id
      WHERE u.id = ${storageKey} FOR NO KEY UPDATE OF a`
    const [used] = await tx.$queryRaw<{ bytes: number; isBusy: boolean }[]>`
      SELECT coalesce(sum(CASE WHEN u.receiving_until > now() THEN u.receiving_bytes END), 0)::float8
          + coalesce(sum(u.size_bytes), 0)::float8 AS bytes,
        coalesce(bool_or(u.id = ${storageKey} AND u.receiving_until > now()), false) AS "isBusy"
      FROM upload u JOIN app_env e ON e.id = u.app_env_id
      WHERE e.account_id = ${account?.id ?? ''} AND e.deleted_at IS NULL`
    if (used?.isBusy) throw alreadyUnderWay(storageKey)
    if ((used?.bytes ?? 0) + maxBytes > config.BERTH_UPLOAD_BUDGET_MB * BYTES_PER_MB)
      throw overBudget(config, used?.bytes ?? 0, maxBytes)
    await tx.$executeRaw`
      UPDATE upload SET receiving_bytes = ${maxBytes}, receiving_until = now() + make_interval(secs => ${LEASE_SECONDS})
      WHERE id = ${storageKey}`
  })
  const renewal = setInterval(() => {
    void database.$executeRaw`
      UPDATE upload SET receiving_until = now() + make_interval(secs => ${LEASE_SECONDS})
      WHERE id = ${storageKey}`.catch(() => {})
  }, RENEWAL_MS).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      // Where this fails, the reservation lapses by itself.
      await database.$executeRaw`UPDATE upload SET receiving_until = NULL WHERE id = ${storageKey}`.catch(() => {})
    },
  }
}

const alreadyUnderWay = (storageKey: string) =>
  new DomainError(
    'RATE_LIMITED',
    'UPLOAD_IN_PROGRESS',
    `storageKey: ${storageKey} takes one upload at a time, and one is under way`,
    { retryAfterSeconds: LEASE_SECONDS },
  )

function overBudget({ BERTH_UPLOAD_BUDGET_MB: limitMb }: Config, used: number, more: number): DomainError {
  const megabytes = (bytes: number) => Math.ceil(bytes / BYTES_PER_MB)
  return new DomainError(
    'PAYLOAD_TOO_LARGE',
    'UPLOAD_BUDGET',
    `The account may have ${limitMb} MB of uploads (BERTH_UPLOAD_BUDGET_MB): ${megabytes(used)} MB are kept or on their ` +
      `way, and this one may add ${megabytes(more)} MB. Send Content-Length, or delete environments that are not needed`,
  )
}
