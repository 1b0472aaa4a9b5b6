import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { timeFor } from '../attempt/steps.ts'

const REPORT_MS = 1_000

/**
 * A place to build in; returns how to give it back. Waiting for one is shown in the step's detail and costs the
 * operation none of its time, since how long others build is no fault of its own, but ends as waiting for an engine does.
 */
export async function acquireBuildSlot(attempt: VersionAttemptContext): Promise<() => void> {
  const { builds, signal, steps, deadline, config, content } = attempt
  const { ahead } = builds
  if (ahead === 0) return builds.take(signal, () => {})
  // A successor of one that was killed in the queue finds the time for waiting in the deadline, and none of it here.
  const leftMs = Math.min(deadline.leftMs, timeFor(config, content) * 1000)
  deadline.leftMs = leftMs + config.BERTH_ENGINE_WAIT_SECONDS * 1000
  await steps.wait('source', positionDetail(ahead), deadline.leftMs)
  const release = await inQueue(attempt)
  try {
    deadline.leftMs = leftMs
    await steps.wait('source', 'fetching the source', leftMs)
    return release
  } catch (error) {
    release()
    throw error
  }
}

const positionDetail = (position: number) => `waiting for a place to build; position ${position} in the queue`

/** Tells the position again and again: steps take no more than one detail a second, and leave out the others. */
async function inQueue({ builds, signal, steps, log }: VersionAttemptContext): Promise<() => void> {
  let position = builds.ahead
  const report = () => {
    steps
      .detail('source', positionDetail(position))
      .catch((error: unknown) => log.debug({ err: error }, 'A position was not recorded'))
  }
  const timer = setInterval(report, REPORT_MS)
  try {
    return await builds.take(signal, (now) => {
      position = now
    })
  } finally {
    clearInterval(timer)
  }
}
