import pino, { type SerializedError } from 'pino'
import { DomainError } from '../domain/errors.ts'
import { Failure } from '../domain/failure.ts'
import { isDatabaseAway, oneLine } from '../storage/database/away.ts'
import { Abandoned } from '../worker/claim/abandoned.ts'

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
