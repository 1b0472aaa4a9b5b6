import { backoff } from '../../domain/backoff.ts'

/** Attempts without a pause: a repair may race with whatever caused the damage. */
const FREE_ATTEMPTS = 3
const PAUSE_SECONDS = { first: 5, max: 600 }

/** Of one worker, whichever environments they belong to: a broken machine breaks all of them at once. */
const MAX_REPLACED_PER_MINUTE = 20
const MINUTE_MS = 60_000

const MAX_REMEMBERED = 10_000

export interface Slot {
  rolloutId: string
  index: number
}

interface Attempts {
  made: number
  lastAt: number
}

/**
 * How often this worker has tried to give replicas their network back since they were last ready. A container is
 * connected a few times, then replaced, less and less often: what is broken may be the machine, which no replacement
 * repairs.
 */
export class NetworkRepairs {
  readonly #attempts = new Map<string, Attempts>()
  #replacedAt: number[] = []

  /** Whether connecting the replica is worth an attempt. */
  mayConnect(slot: Slot): boolean {
    return this.#of(slot).made < FREE_ATTEMPTS
  }

  /** For an attempt that the engine answered. One that could not even make the network says nothing about the container. */
  recordConnect(slot: Slot, now: Date): void {
    this.#record(slot, now)
  }

  /** True when the replica may be replaced now; it then counts as replaced. */
  takeReplacement(slot: Slot, now: Date): boolean {
    const { made, lastAt } = this.#of(slot)
    const pauseSeconds = made <= FREE_ATTEMPTS ? 0 : backoff(PAUSE_SECONDS, made - FREE_ATTEMPTS - 1)
    if (now.getTime() - lastAt < pauseSeconds * 1000) return false
    this.#replacedAt = this.#replacedAt.filter((at) => now.getTime() - at < MINUTE_MS)
    if (this.#replacedAt.length >= MAX_REPLACED_PER_MINUTE) return false
    this.#replacedAt.push(now.getTime())
    this.#record(slot, now)
    return true
  }

  recordReady(slot: Slot): void {
    this.#attempts.delete(keyOf(slot))
  }

  #of(slot: Slot): Attempts {
    return this.#attempts.get(keyOf(slot)) ?? { made: 0, lastAt: 0 }
  }

  #record(slot: Slot, now: Date): void {
    const { made } = this.#of(slot)
    this.#attempts.delete(keyOf(slot))
    this.#attempts.set(keyOf(slot), { made: made + 1, lastAt: now.getTime() })
    const oldest = this.#attempts.keys().next().value
    if (this.#attempts.size > MAX_REMEMBERED && oldest !== undefined) this.#attempts.delete(oldest)
  }
}

const keyOf = ({ rolloutId, index }: Slot) => `${rolloutId} ${index}`
