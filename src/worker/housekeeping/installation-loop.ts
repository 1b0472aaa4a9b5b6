import type { WorkerContext } from '../context/worker-context.ts'
import { sleep } from '../time/sleep.ts'

/** An operation that ends elsewhere, by a cancellation say, delays an installation by at most this much. */
const PAUSE_MS = 5_000

/** Takes installations of solutions further whenever this worker has ended an operation. */
export class InstallationLoop {
  readonly #context: Pick<WorkerContext, 'advanceInstallations' | 'log'>
  #ended = Promise.withResolvers<void>()

  constructor(context: Pick<WorkerContext, 'advanceInstallations' | 'log'>) {
    this.#context = context
  }

  readonly wake = (): void => this.#ended.resolve()

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#ended = Promise.withResolvers()
      await this.#context.advanceInstallations().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'Going on with installations failed; it is retried')
      })
      await sleep(PAUSE_MS, signal, this.#ended.promise)
    }
  }
}
