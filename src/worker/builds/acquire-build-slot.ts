import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { timeFor } from '../attempt/steps.ts'
import { sleep } from '../time/sleep.ts'
import { endTurn, lookForTurn, recordCleared } from './build-cache.ts'

const REPORT_MS = 1_000

/** How often a build that waits for another one of its account looks whether its turn has come. */
const PAUSE_MS = 500

/**
 * Waits until no other worker builds for the account on the engine, where builds of an account share one builder, and for a
 * build slot of this worker. Disposing of the answer lets the next build begin. A build cache that is to be cleared is cleared
 * first.
 */
export async function acquireBuildSlot(attempt: VersionAttemptContext): Promise<AsyncDisposable> {
  const { builds, signal, config, appEnv } = attempt
  await using held = new AsyncDisposableStack()
  // The engine's own builder is shared by all, and limits each build by itself.
  if (config.BERTH_BUILDER !== 'engine') held.use(await acquireTurn(attempt))
  const ahead = builds.ahead(appEnv.accountId)
  if (ahead === 0) held.defer(await builds.take(appEnv.accountId, signal, () => {}))
  else await waitBeside(attempt, positionDetail(ahead), async () => held.defer(await inQueue(attempt)))
  return held.move()
}

async function acquireTurn(attempt: VersionAttemptContext): Promise<AsyncDisposable> {
  const { appEnv, database, lease, log } = attempt
  await using held = new AsyncDisposableStack()
  held.defer(() =>
    endTurn(database, { appEnvId: appEnv.id, token: lease.claim.token }).catch((error: unknown) =>
      log.debug({ err: error, appEnvId: appEnv.id }, 'Ending the turn of a build failed; it ends with the lease'),
    ),
  )
  if (!(await hasTurn(attempt))) await waitBeside(attempt, 'waiting for another build of the account', inTurn(attempt))
  return held.move()
}

/**
 * The step's detail says what it waits for. Waiting does not use up the operation's time, because how long others build is not its
 * fault; but it is limited, as waiting for an engine is.
 */
async function waitBeside(attempt: VersionAttemptContext, detail: string, wait: () => Promise<unknown>): Promise<void> {
  const { steps, deadline, config, content, appEnv, operation } = attempt
  // After a crash in the queue, the deadline may still hold another attempt's waiting time, which this attempt does not
  // get.
  const leftMs = Math.min(deadline.leftMs, timeFor(config, appEnv, { ...operation, content }) * 1000)
  deadline.leftMs = leftMs + config.BERTH_ENGINE_WAIT_SECONDS * 1000
  await steps.wait('source', detail, { leftMs: deadline.leftMs, isWaiting: true })
  await wait()
  deadline.leftMs = leftMs
  await steps.wait('source', 'fetching the source', { leftMs, isWaiting: false })
}

async function hasTurn({ database, engine, appEnv, lease }: VersionAttemptContext): Promise<boolean> {
  const owner = { accountId: appEnv.accountId, engineKey: engine.key }
  const { hasCome, clearing } = await lookForTurn(database, owner, { appEnvId: appEnv.id, token: lease.claim.token })
  if (clearing) {
    await engine.removeBuilder(owner.accountId)
    await recordCleared(database, owner, clearing)
  }
  return hasCome
}

const inTurn = (attempt: VersionAttemptContext) => async () => {
  const { signal } = attempt
  do {
    await sleep(PAUSE_MS, signal)
    signal.throwIfAborted()
  } while (!(await hasTurn(attempt)))
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
