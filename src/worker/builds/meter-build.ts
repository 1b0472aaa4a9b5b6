import { databaseTime } from '../../storage/database/time.ts'
import { recordUsage } from '../../storage/usage/usage-log.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { sleep } from '../time/sleep.ts'

/**
 * Counts a build for as long as it takes. A worker that is killed meanwhile has counted it until it last said so. A
 * failure to count is logged, and ends no build.
 */
export async function meterBuild(attempt: VersionAttemptContext, work: () => Promise<void>): Promise<void> {
  const { database, config, log } = attempt
  const tolerantly = (recording: Promise<unknown>) =>
    recording.catch((error: unknown) => log.warn({ err: error }, 'Metering a build failed'))
  const done = new AbortController()
  const begunAt = await databaseTime(database)
  const record = async (hasEnded: boolean) => {
    const now = await databaseTime(database)
    await recordUsage(database, [sightingOf(attempt, { begunAt, now, hasEnded })])
  }
  await tolerantly(record(false))
  const counting = (async () => {
    while (!done.signal.aborted) {
      await sleep(config.BERTH_USAGE_SECONDS * 1000, done.signal)
      if (!done.signal.aborted) await tolerantly(record(false))
    }
  })()
  try {
    await work()
  } finally {
    done.abort()
    await counting
    await tolerantly(record(true))
  }
}

interface Seen {
  begunAt: Date
  now: Date
  hasEnded: boolean
}

function sightingOf({ appEnv, content, operation, lease }: VersionAttemptContext, { begunAt, now, hasEnded }: Seen) {
  return {
    accountId: appEnv.accountId,
    appId: appEnv.appId,
    appEnvId: appEnv.id,
    contentId: content.id,
    containerId: `${operation.id}.${lease.claim.token}`,
    seen: {
      kind: 'BUILD' as const,
      runAt: begunAt,
      restartCount: 0,
      formerEndAt: null,
      finishedAt: hasEnded ? now : null,
      seenAt: hasEnded ? null : now,
    },
  }
}
