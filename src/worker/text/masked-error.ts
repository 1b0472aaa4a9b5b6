import { Failure } from '../../domain/failure.ts'
import type { Mask } from './secret-mask.ts'

/** An error for Berth's log: engines and registries quote what they were sent, secrets included. */
export function maskedError(error: unknown, mask: Mask): Error {
  if (!(error instanceof Error)) return new Error(mask(String(error)))
  const { message, name, stack = '' } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const answered = 'statusCode' in error ? { statusCode: error.statusCode } : {}
  // A failure says what is wrong with a version; the place in Berth's code does not help.
  const where = { stack: error instanceof Failure ? undefined : mask(stack) }
  return Object.assign(new Error(mask(message)), { name, ...where, ...code, ...answered })
}
