export interface Backoff {
  /** The first pause, in any unit; the others use the same unit. */
  first: number
  max: number
}

/** The pause before the next attempt: doubles after each failure, up to the longest. */
export const backoff = ({ first, max }: Backoff, failures: number): number =>
  Math.min(max, first * 2 ** Math.min(failures, 30))

/** Shortens a pause by up to a half, so that simultaneous failures are not retried simultaneously. */
export const withJitter = (pause: number): number => pause * (0.5 + Math.random() / 2)
