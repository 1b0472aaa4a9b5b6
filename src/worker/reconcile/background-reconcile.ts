import type { AttemptContext } from '../attempt/attempt-context.ts'
import { loadClaimedAppEnv } from '../context/environment-context.ts'
import { maskedError } from '../text/masked-error.ts'
import type { Mask } from '../text/secret-mask.ts'
import { sleep } from '../time/sleep.ts'
import { reconcile } from './reconcile.ts'

/**
 * Runs the slow part of an operation while reconciling the version that serves: a long pull must not keep a container
 * that died from being replaced. The last reconcile is over before this returns, so that none writes into the
 * operation's last transaction.
 */
export async function withBackgroundReconcile<T>(attempt: AttemptContext, task: () => Promise<T>): Promise<T> {
  const done = new AbortController()
  const reconciling = keepReconciling(attempt, AbortSignal.any([attempt.signal, done.signal]))
  try {
    return await task()
  } finally {
    done.abort()
    await reconciling
  }
}

async function keepReconciling(attempt: AttemptContext, signal: AbortSignal): Promise<void> {
  const { database, appEnv, config, log } = attempt
  const task = { ...attempt, signal, engine: attempt.engineUnder(signal) }
  let pauseSeconds = config.BERTH_RECONCILE_SECONDS
  for (;;) {
    await sleep(pauseSeconds * 1000, signal, attempt.lease.asked.promise)
    if (signal.aborted) return
    attempt.lease.asked = Promise.withResolvers()
    pauseSeconds = config.BERTH_RECONCILE_SECONDS
    try {
      if (appEnv.requestScaling) await attempt.scaleByRequests(signal)
      const { requeueAfterSeconds } = await reconcile(task, await loadClaimedAppEnv(database, appEnv.id))
      pauseSeconds = Math.min(pauseSeconds, requeueAfterSeconds)
    } catch (error) {
      if (signal.aborted) continue
      // While the database is away, the secrets to mask are unknown.
      const mask = await attempt.mask().catch(() => hideAll)
      const about = { err: maskedError(error, mask), appEnvId: appEnv.id }
      log.warn(about, 'Reconciling in the background of an operation failed')
    }
  }
}

const hideAll: Mask = () => 'hidden, because the secrets that it may contain could not be read'
