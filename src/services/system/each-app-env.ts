import type { Logger } from 'pino'

/** How long an environment whose schedule could not be followed waits for the next try. */
export const RETRY_SECONDS = 30

interface Work {
  log: Logger
  /** What fails, for the log. */
  what: string
  begin(appEnvId: string): Promise<unknown>
  /** Makes it due later: it must not be first again at once. */
  postpone?(appEnvId: string): Promise<unknown>
}

/** Begins what is due for each environment. One that fails is logged and postponed; the others go on. */
export async function eachAppEnv(ids: readonly string[], { log, what, begin, postpone }: Work): Promise<void> {
  for (const appEnvId of ids) {
    try {
      await begin(appEnvId)
    } catch (error) {
      log.warn({ err: error, appEnvId }, `${what} failed; it is retried`)
      await postpone?.(appEnvId).catch((cause: unknown) => log.warn({ err: cause, appEnvId }, `${what}: not postponed`))
    }
  }
}
