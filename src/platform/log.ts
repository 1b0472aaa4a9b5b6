import type { DestinationStream, Logger, SerializedError } from 'pino'
import pino from 'pino'
import type { Config } from '../config/config.ts'
import { DomainError } from '../domain/errors.ts'
import { Failure } from '../domain/failure.ts'
import { type DatabaseFault, databaseFault, isDatabaseAway, oneLine } from '../storage/database/away.ts'
import { Abandoned } from '../worker/claim/abandoned.ts'
import { hasColours, isReadable, readableLine } from './readable-line.mjs'

/** Networks, peers and full disks, as the operating system names them. */
const OF_THE_MACHINE =
  /^(ECONN(REFUSED|RESET|ABORTED)|E(HOST|NET)UNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|ENOSPC|EDQUOT|EROFS|EMFILE|ENFILE)$/
const OF_TIME = new Set(['AbortError', 'TimeoutError', 'DeadlineExceeded'])
const MAX_CAUSE_DEPTH = 5

/**
 * An error in the log. A stack trace says where our own code is wrong; what fails for another reason, such as a
 * database that does not answer, has a message only.
 */
export function loggedError(error: Error): Omit<SerializedError, 'raw'> {
  const logged = pino.stdSerializers.err(error)
  if (!(error instanceof Error) || (error.stack && !isExpected(error))) return logged
  const { type, message, code, reason } = logged
  return { type, message: oneLine(message), ...(code ? { code } : {}), ...(reason ? { reason } : {}) }
}

/** A library wraps what happened to it, sometimes in an error of its own. */
function isExpected(error: Error): boolean {
  let cause: unknown = error
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSE_DEPTH; depth += 1) {
    if (isOfOthers(cause)) return true
    cause = cause.cause
  }
  return false
}

function isOfOthers(error: Error): boolean {
  if (error instanceof DomainError) return error.code !== 'INTERNAL'
  if (error instanceof Failure || error instanceof Abandoned) return true
  if (OF_TIME.has(error.name) || isDatabaseAway(error)) return true
  if ('code' in error && OF_THE_MACHINE.test(String(error.code))) return true
  // The container engine refused a call.
  return 'statusCode' in error && typeof error.statusCode === 'number'
}

const SUMMARY_MS = 60_000

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
function createOutageHook() {
  const lines = new OutageLines()
  return function logMethod(this: Logger, args: unknown[], method: (...args: unknown[]) => void): void {
    const [fields, message] = args
    const error = fields instanceof Error ? fields : (fields as { err?: unknown } | undefined)?.err
    const write = (summary: object, text: string) => method.call(this, summary, text)
    if (!error || lines.admits(error, String(message ?? ''), write)) method.apply(this, args)
  }
}

/** What is kept while nothing can be written, before the newest lines are dropped. */
const BACKLOG_BYTES = 4 * 1024 * 1024

/**
 * The log on standard output: JSON, or lines for people on a terminal. Where that goes may be full or gone: lines are
 * lost then, and nothing else is.
 */
export function createLog(config: Pick<Config, 'BERTH_LOG_LEVEL' | 'BERTH_LOG_FORMAT' | 'BERTH_ROLES'>): Logger {
  const destination = pino.destination({ fd: 1, sync: false, maxLength: BACKLOG_BYTES })
  destination.on('error', () => {})
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  // Several processes write to one terminal.
  const name = config.BERTH_ROLES.join(',')
  const options = {
    level: config.BERTH_LOG_LEVEL,
    name,
    serializers: { err: loggedError },
    hooks: { logMethod: createOutageHook() },
  }
  return pino(options, isReadable(config.BERTH_LOG_FORMAT) ? readable(destination) : destination)
}

/** pino calls this before it writes a line. */
function readable(destination: DestinationStream): DestinationStream {
  const style = { hasColours: hasColours() }
  return { write: (line) => destination.write(readableLine(JSON.parse(line), style)) }
}
