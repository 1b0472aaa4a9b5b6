import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'

const BYTES_PER_MB = 1024 * 1024
/** A process that was killed during a PUT blocks its key for this long. */
const LEASE_SECONDS = 30
const RENEWAL_MS = (LEASE_SECONDS * 1000) / 3

/**
 * Reserves the one place that a key has for a PUT, and its bytes within the budget of the account. Disposing gives them
 * back. Throws RATE_LIMITED while another PUT is under way, and PAYLOAD_TOO_LARGE when the budget is used up.
 */
export async function openUploadSlot(
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
