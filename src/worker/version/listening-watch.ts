import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { type Elsewhere, listeningElsewhere } from './listening-elsewhere.ts'

/** A question costs the engine two calls, and perhaps a program in the container. */
const ASK_EVERY_MS = 2_000

/** Most apps listen sooner, and asking the engine would delay their readiness. */
const FIRST_AFTER_MS = 1_000

/** For so long, the same sockets must have been listened on before they count as the final ones. */
const STEADY_MS = 10_000

interface Seen {
  askedAt: number
  since: number
  elsewhere: Elsewhere | null
  /** Nothing more to learn about this run of the container. */
  isFinal: boolean
}

const firstSeen = (now: number): Seen => ({
  askedAt: now - ASK_EVERY_MS + FIRST_AFTER_MS,
  since: now,
  elsewhere: null,
  isFinal: false,
})

/** Finds out where containers listen that do not answer on their port. */
export class ListeningWatch {
  readonly #attempt: VersionAttemptContext
  readonly #seen = new Map<string, Seen>()

  constructor(attempt: VersionAttemptContext) {
    this.#attempt = attempt
  }

  /** Where a running container listens instead of on the app's port; null when it does, or that is unknown. */
  async elsewhere(
    replica: ObservedReplica,
    run: string,
    probed: { isRefused?: boolean },
  ): Promise<(Elsewhere & { isSteady: boolean }) | null> {
    const { port } = recordedConfiguration(this.#attempt.content)
    if (port === null) return null
    const now = performance.now()
    const before = this.#seen.get(run) ?? firstSeen(now)
    const isDue = !before.isFinal && now - before.askedAt >= ASK_EVERY_MS
    const seen = isDue ? await this.#ask(replica, { port, ...probed }, before, now) : before
    this.#seen.set(run, seen)
    return seen.elsewhere && { ...seen.elsewhere, isSteady: now - seen.since >= STEADY_MS }
  }

  async #ask(
    replica: ObservedReplica,
    { port, ...probed }: { port: number; isRefused?: boolean },
    before: Seen,
    now: number,
  ): Promise<Seen> {
    const { engine, signal } = this.#attempt
    const listening = await engine.listening(replica.name).catch((error: unknown) => {
      signal.throwIfAborted()
      if (isEngineAway(error)) throw error
      return null
    })
    const elsewhere = listening && listeningElsewhere(listening, port, probed)
    const since = before.elsewhere?.words === elsewhere?.words ? before.since : now
    return { askedAt: now, since, elsewhere, isFinal: elsewhere === null }
  }
}
