import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { timeFor } from '../attempt/steps.ts'

const REPORT_MS = 1_000

/**
 * Waits for a build slot; returns how to release it. The step's detail shows the position in the queue. Waiting does
 * not use up the operation's time, because how long others build is not its fault; but it is limited, as waiting for an
 * engine is.
 */
export async function acquireBuildSlot(attempt: VersionAttemptContext): Promise<() => void> {
  const { builds, signal, steps, deadline, config, content, appEnv } = attempt
  const ahead = builds.ahead(appEnv.accountId)
  if (ahead === 0) return builds.take(appEnv.accountId, signal, () => {})
  // After a crash in the queue, the deadline may still hold another attempt's waiting time, which this attempt does not
  // get.
  const leftMs = Math.min(deadline.leftMs, timeFor(config, attempt.appEnv, { ...attempt.operation, content }) * 1000)
  deadline.leftMs = leftMs + config.BERTH_ENGINE_WAIT_SECONDS * 1000
  await steps.wait('source', positionDetail(ahead), { leftMs: deadline.leftMs, isWaiting: true })
  const release = await inQueue(attempt)
  try {
    deadline.leftMs = leftMs
    await steps.wait('source', 'fetching the source', { leftMs, isWaiting: false })
    return release
  } catch (error) {
    release()
    throw error
  }
}

const positionDetail = (position: number) => `waiting for a place to build; position ${position} in the queue`

/** Reports the position repeatedly: steps accept one detail a second and drop the others. */
async function inQueue({ builds, signal, steps, log, appEnv }: VersionAttemptContext): Promise<() => void> {
  let position = builds.ahead(appEnv.accountId)
  const report = () => {
    steps
      .detail('source', positionDetail(position))
      .catch((error: unknown) => log.debug({ err: error }, 'Recording the position in the build queue failed'))
  }
  const timer = setInterval(report, REPORT_MS)
  try {
    return await builds.take(appEnv.accountId, signal, (now) => {
      position = now
    })
  } finally {
    clearInterval(timer)
  }
}
