import { setTimeout as pause } from 'node:timers/promises'

/** What all API processes together have counted. */
export interface SharedCounts {
  /** Adds to the count of the key in its present minute. The sum, and how long the minute lasts. */
  add(key: string, points: number): Promise<{ total: number; secondsLeft: number }>
}

export interface Consumed {
  isExceeded: boolean
  remaining: number
  secondsLeft: number
}

interface Count {
  spent: number
  /** What this process may spend. */
  granted: number
  /** How much of that the others know of. */
  reported: number
  /** Of all processes, as last heard. */
  total: number
  isUsedUp: boolean
  endsAt: number
  asking: Promise<void> | null
}

const WINDOW_MS = 60_000
/** A process takes its part of a budget in shares, so that few requests wait for the database. */
const SHARES = 50
const ANSWER_MS = 1_000
/** After a failure of the database, each process counts alone for so long before it asks again. */
const ALONE_MS = 2_000
/** Beyond it, the keys that were counted first are evicted. */
const MAX_KEYS = 100_000

/**
 * A budget per key and minute that API processes share. The first share of each key is spent without asking, so that
 * clients which send little cost the database nothing; each further one is asked for. All processes together exceed the
 * budget by at most a share each. While the database does not answer, each process has the whole budget.
 */
export class SharedBudget {
  readonly #limit: number
  readonly #share: number
  readonly #counts: SharedCounts | null
  readonly #now: () => number
  readonly #keys = new Map<string, Count>()
  #aloneUntil = Number.NEGATIVE_INFINITY

  constructor(limit: number, counts: SharedCounts | null, now = () => performance.now()) {
    this.#limit = limit
    this.#share = Math.ceil(limit / SHARES)
    this.#counts = counts
    this.#now = now
  }

  async consume(key: string, points: number): Promise<Consumed> {
    for (;;) {
      const count = this.#present(key)
      const fits = count.spent + points <= count.granted
      if (fits) count.spent += points
      if (fits || count.isUsedUp) return this.#answer(count, !fits)
      count.asking ??= this.#ask(key, count, points).finally(() => {
        count.asking = null
      })
      await count.asking
    }
  }

  /** Takes back what was spent of the present minute. */
  giveBack(key: string, points: number): void {
    const count = this.#keys.get(key)
    if (count) count.spent = Math.max(0, count.spent - points)
  }

  #present(key: string): Count {
    const known = this.#keys.get(key)
    const now = this.#now()
    if (known && now < known.endsAt) return known
    if (!known && this.#keys.size >= MAX_KEYS) this.#evict(now)
    const granted = this.#counts ? this.#share : this.#limit
    const isUsedUp = granted >= this.#limit
    const fresh = { spent: 0, granted, reported: 0, total: 0, isUsedUp, endsAt: now + WINDOW_MS, asking: null }
    this.#keys.delete(key)
    this.#keys.set(key, fresh)
    return fresh
  }

  #evict(now: number): void {
    for (const [key, { endsAt }] of this.#keys) if (endsAt <= now) this.#keys.delete(key)
    const excess = this.#keys.size - MAX_KEYS / 2
    for (const key of [...this.#keys.keys()].slice(0, Math.max(0, excess))) this.#keys.delete(key)
  }

  async #ask(key: string, count: Count, points: number): Promise<void> {
    const wanted = Math.max(this.#share, points)
    const unreported = count.granted - count.reported
    const heard = this.#counts && this.#now() >= this.#aloneUntil && (await this.#heard(key, unreported + wanted))
    if (!heard) {
      count.granted = Math.min(this.#limit, count.granted + wanted)
      count.isUsedUp = count.granted >= this.#limit
      return
    }
    const excess = Math.max(0, heard.total - this.#limit)
    count.granted += Math.max(0, wanted - excess)
    count.reported = count.granted
    count.total = heard.total
    count.isUsedUp = heard.total >= this.#limit
    count.endsAt = this.#now() + heard.secondsLeft * 1000
  }

  /** Null when the database does not answer. */
  async #heard(key: string, points: number): Promise<{ total: number; secondsLeft: number } | null> {
    const late = new AbortController()
    try {
      const asked = this.#counts?.add(key, points)
      asked?.catch(() => {})
      const heard = await Promise.race([asked, pause(ANSWER_MS, null, { ref: false, signal: late.signal })])
      if (heard) return heard
    } catch {
      // As if it had not answered.
    } finally {
      late.abort()
    }
    this.#aloneUntil = this.#now() + ALONE_MS
    return null
  }

  #answer({ spent, granted, reported, total, endsAt }: Count, isExceeded: boolean): Consumed {
    const elsewhere = Math.max(0, total - reported)
    const remaining = this.#limit - elsewhere - spent
    return {
      isExceeded,
      remaining: isExceeded ? 0 : Math.max(remaining, granted - spent),
      secondsLeft: Math.max(1, Math.ceil((endsAt - this.#now()) / 1000)),
    }
  }
}
