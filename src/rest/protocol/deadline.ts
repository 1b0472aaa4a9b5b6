import { DomainError } from '../../domain/errors.ts'

/**
 * Answers after the deadline even if the work has not ended. The work itself is bounded by the database's
 * timeouts, and cannot be taken back: whether it was done is told by the same Idempotency-Key.
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
