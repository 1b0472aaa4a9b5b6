import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Readiness } from '../../engines/runtime/readiness.ts'

type Ask = (replica: ObservedReplica, signal: AbortSignal) => Promise<Readiness>

/**
 * One probe at a time that others need not wait for: where a container has ended, nothing answers at its address, not
 * even with a refusal, and a connection is given up after seconds only.
 */
export class PendingProbe {
  readonly #ask: Ask
  #asked: { run: string; answer: Promise<Readiness>; end: AbortController } | null = null

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** The answer, or null when there is none yet after this time. A probe of an earlier run is given up. */
  async answer(replica: ObservedReplica, withinMs: number): Promise<Readiness | null> {
    const run = `${replica.containerId} ${replica.address} ${replica.startedAt?.getTime()}`
    if (this.#asked?.run !== run) {
      this.giveUp()
      const end = new AbortController()
      this.#asked = { run, answer: this.#ask(replica, end.signal), end }
    }
    const { answer } = this.#asked
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(() => late.resolve(null), withinMs)
    try {
      const answered = await Promise.race([answer, late.promise])
      if (answered) this.#asked = null
      return answered
    } catch (error) {
      this.#asked = null
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  giveUp(): void {
    this.#asked?.answer.catch(() => {})
    this.#asked?.end.abort()
    this.#asked = null
  }
}
