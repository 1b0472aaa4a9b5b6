import { DomainError } from '../../../domain/errors.ts'

/**
 * Answers after the deadline even if the work has not ended. The database's timeouts bound the work, which cannot be
 * undone; a repeat with the same Idempotency-Key finds out whether it was done.
 */
export async function withinSeconds<T>(seconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tookTooLong(seconds)), seconds * 1000)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

const tookTooLong = (seconds: number): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    'REQUEST_TIMEOUT',
    `The request took longer than ${seconds} s; it may still have been carried out`,
    {
      retryAfterSeconds: 5,
    },
  )
