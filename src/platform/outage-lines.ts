import type { Logger } from 'pino'
import { type DatabaseFault, databaseFault } from '../storage/database/away.ts'

const SUMMARY_MS = 60_000
const MAX_CAUSE_DEPTH = 5
/** Messages are texts of the code, so there are not many. */
const MAX_COUNTED = 200

interface Repeated {
  count: number
  fault: DatabaseFault
  message: string
  /** Writes a line of the same level. */
  write(fields: object, message: string): void
}

/**
 * While the database is away, each place of the code logs that once, and once a minute how often it failed since: an
 * outage must not bury the rest of the log.
 */
class OutageLines {
  readonly #repeated = new Map<string, Repeated>()
  #timer: NodeJS.Timeout | null = null

  /** Whether the line is to be written; counts it otherwise. */
  admits(error: unknown, message: string, write: Repeated['write']): boolean {
    const fault = faultBehind(error)
    if (fault === null) return true
    const key = `${fault} ${message}`
    const known = this.#repeated.get(key)
    if (known) {
      known.count += 1
      return false
    }
    if (this.#repeated.size >= MAX_COUNTED) return true
    this.#repeated.set(key, { count: 0, fault, message, write })
    this.#timer ??= setInterval(() => this.#summarise(), SUMMARY_MS).unref()
    return true
  }

  /** What failed in the last minute goes on being counted; what did not is news again. */
  #summarise(): void {
    for (const [key, { count, fault, message, write }] of this.#repeated) {
      this.#repeated.delete(key)
      if (count === 0) continue
      this.#repeated.set(key, { count: 0, fault, message, write })
      write({ state: fault, times: count }, `${message} (${count} more times in ${SUMMARY_MS / 1000} s)`)
    }
    if (this.#repeated.size > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

function faultBehind(error: unknown): DatabaseFault | null {
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSE_DEPTH; depth += 1) {
    const fault = databaseFault(cause)
    if (fault) return fault
    cause = cause.cause
  }
  return null
}

/** pino calls this for every line of a logger. */
export function createOutageHook() {
  const lines = new OutageLines()
  return function logMethod(this: Logger, args: unknown[], method: (...args: unknown[]) => void): void {
    const [fields, message] = args
    const error = fields instanceof Error ? fields : (fields as { err?: unknown } | undefined)?.err
    const write = (summary: object, text: string) => method.call(this, summary, text)
    if (!error || lines.admits(error, String(message ?? ''), write)) method.apply(this, args)
  }
}
