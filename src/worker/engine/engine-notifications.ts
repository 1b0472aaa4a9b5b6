import type { Logger } from 'pino'
import type { Database } from '../../storage/database/client.ts'
import { sleep } from '../time/sleep.ts'

/** Engine events come in bursts, and all of a burst leads to one reconcile. */
const BATCH_MS = 200

/**
 * Makes environments due for a reconcile when the engine reports a change. Routine reconciles find what is lost here.
 */
export class EngineNotifications {
  readonly #database: Database
  readonly #log: Logger
  readonly #wake: () => void
  #pending = new Set<string>()

  constructor(database: Database, log: Logger, wake: () => void) {
    this.#database = database
    this.#log = log
    this.#wake = wake
  }

  add(appEnvId: string): void {
    this.#pending.add(appEnvId)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(BATCH_MS, signal)
      if (this.#pending.size === 0 || signal.aborted) continue
      const ids = [...this.#pending]
      this.#pending = new Set()
      await this.#makeDue(ids).catch((error: unknown) =>
        this.#log.debug({ err: error }, 'Engine notifications were lost; routine reconciles find the changes'),
      )
    }
  }

  async #makeDue(ids: string[]): Promise<void> {
    await makeDue(this.#database, ids)
    this.#wake()
  }
}

/**
 * Skips locked rows: the transaction that has the lock makes the environment due anyway, or a routine reconcile
 * follows.
 */
export const makeDue = (database: Database, appEnvIds: string[]): Promise<number> =>
  database.$executeRaw`
    UPDATE app_env SET due_at = LEAST(due_at, now())
    WHERE id IN (SELECT id FROM app_env WHERE id = ANY(${appEnvIds}::text[]) ORDER BY id FOR UPDATE SKIP LOCKED)`
