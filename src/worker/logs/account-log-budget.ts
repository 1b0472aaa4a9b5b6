import type { Database } from '../../storage/database/client.ts'

/** The budget is reserved in pieces, so that quiet containers cost no query per batch. */
const PIECES = 64
const MINUTE_MS = 60_000

interface Reserved {
  bytes: number
  /** By performance.now(). */
  until: number
}

/**
 * How many bytes of log lines an account may write per minute: counted in the database, for all workers together, by
 * the database's clock. What is reserved here and not used in its minute lapses.
 */
export class AccountLogBudget {
  readonly #database: Database
  readonly #bytesPerMinute: number
  readonly #reserved = new Map<string, Reserved>()

  constructor(database: Database, megabytesPerMinute: number) {
    this.#database = database
    this.#bytesPerMinute = megabytesPerMinute * 1024 * 1024
  }

  /** How many of the wanted bytes may be written now. */
  async take(accountId: string, wanted: number): Promise<number> {
    const reserved = this.#reservedOf(accountId)
    if (reserved.bytes < wanted) {
      const piece = Math.floor(this.#bytesPerMinute / PIECES)
      reserved.bytes += await this.#reserve(accountId, Math.max(piece, wanted - reserved.bytes))
    }
    const taken = Math.min(wanted, reserved.bytes)
    reserved.bytes -= taken
    return taken
  }

  #reservedOf(accountId: string): Reserved {
    const now = performance.now()
    const known = this.#reserved.get(accountId)
    if (known && known.until > now) return known
    for (const [id, { until }] of this.#reserved) if (until <= now) this.#reserved.delete(id)
    const fresh = { bytes: 0, until: now + MINUTE_MS }
    this.#reserved.set(accountId, fresh)
    return fresh
  }

  /** Reserves this much of the present minute, or what is left of it. */
  async #reserve(accountId: string, bytes: number): Promise<number> {
    await this.#database.$executeRaw`
      INSERT INTO account_usage (account_id) VALUES (${accountId}) ON CONFLICT DO NOTHING`
    const [row] = await this.#database.$queryRaw<{ granted: number }[]>`
      WITH before AS (
        SELECT account_id, present, CASE WHEN log_minute = present THEN log_bytes ELSE 0 END AS used
        FROM account_usage, (SELECT floor(extract(epoch FROM now()) / 60)::bigint AS present) minute
        WHERE account_id = ${accountId} FOR UPDATE OF account_usage
      )
      UPDATE account_usage u SET log_minute = present, log_bytes = least(used + ${bytes}, greatest(used, ${this.#bytesPerMinute}))
      FROM before WHERE u.account_id = before.account_id
      RETURNING (u.log_bytes - used)::float8 AS granted`
    return row?.granted ?? 0
  }
}
