import type { Mask } from './secret-mask.ts'

/** An error for Berth's log: engines and registries quote what they were sent, secrets included. */
export function maskedError(error: unknown, mask: Mask): Error {
  if (!(error instanceof Error)) return new Error(mask(String(error)))
  const { message, name, stack = '' } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  return Object.assign(new Error(mask(message)), { name, stack: mask(stack), ...code })
}
