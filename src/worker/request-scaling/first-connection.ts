import { recordedConfiguration } from '../../domain/configuration.ts'
import { Failure } from '../../domain/failure.ts'
import { asksNetwork, readinessOf } from '../../domain/health-check.ts'
import type { ObservedReplica, Rollout } from '../../engines/runtime/container-runtime.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { applyWithImage } from '../images/version-image.ts'
import { PendingProbe } from '../probes/pending-probe.ts'
import { probeReplica } from '../probes/probe-replica.ts'
import { sleep } from '../time/sleep.ts'
import { ContainerEnds } from '../version/container-ends.ts'
import { lastLines } from '../version/last-lines.ts'
import { readySeconds } from '../version/ready-seconds.ts'

/** A port without a listener refuses at once, so the pauses between two tries are what a wake may lose. */
const PAUSE_MS = { first: 2, max: 40 }
/** A program in the container costs much more than an attempt to connect. */
const COMMAND_PAUSE_MS = { first: 150, max: 500 }
const OBSERVE_MS = 300

/**
 * The version was up before, so one more start decides between an accident and a program that cannot start. Requests
 * wait for it.
 */
const MAX_ENDS = 2

/** A container that did not come up. */
export class WakeFailed extends Failure<'CONTAINER_EXITED' | 'READINESS_TIMEOUT'> {
  /** Without the program's output, because clients of the app see it. */
  readonly short: string

  constructor(reason: WakeFailed['reason'], short: string, message: string) {
    super(reason, message)
    this.short = short
  }
}

/**
 * Waits until a container of the rollout accepts a connection, or answers its readiness probe where it has a path, and
 * returns it. Starts it again when it has ended. Throws WakeFailed when it keeps ending, or the time is up.
 */
export async function firstConnection(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  rollout: Rollout,
  index: number,
  started: ObservedReplica | null = null,
): Promise<ObservedReplica> {
  const { config, signal } = context
  const content = appEnv.currentContent
  if (!content) throw new Error(`${appEnv.id} serves no version`)
  const configuration = recordedConfiguration(content)
  const timeoutSeconds = readySeconds(content, config)
  const deadline = performance.now() + timeoutSeconds * 1000
  const ends = new ContainerEnds(MAX_ENDS)
  let replica = started ?? (await observeOne(context, rollout, index))
  let observedAt = performance.now()
  let reason = 'its container is starting'
  const pause = asksNetwork(readinessOf(configuration.healthCheck)) ? PAUSE_MS : COMMAND_PAUSE_MS
  const pending = new PendingProbe((asked, end) =>
    probeReplica({ ...context, signal: AbortSignal.any([signal, end]) }, asked, configuration),
  )
  try {
    for (let pauseMs = pause.first; ; pauseMs = Math.min(pauseMs * 1.5, pause.max)) {
      if (replica?.phase === 'running' && replica.address !== null) {
        const probed = await pending.answer(replica, OBSERVE_MS)
        if (probed?.ready) return replica
        reason = probed?.reason ?? 'its container does not answer'
      }
      const now = performance.now()
      if (now > deadline) throw await failed(context, replica, `not ready within ${timeoutSeconds} s: ${reason}`)
      if (now - observedAt > OBSERVE_MS || replica?.phase !== 'running') {
        replica = await observeOne(context, rollout, index)
        observedAt = now
        const end = replica && !wasKilled(replica) ? ends.add(replica) : null
        if (end?.isHopeless) throw await failed(context, end.replica, `its container ${end.words}`)
        if (!replica || (replica.phase !== 'running' && replica.phase !== 'restarting'))
          await applyWithImage(context, appEnv, content, rollout)
      }
      await sleep(pauseMs, signal)
      signal.throwIfAborted()
    }
  } finally {
    pending.giveUp()
  }
}

/** By hand, or with its machine, which says nothing against its program. */
const wasKilled = ({ phase, exitCode, outOfMemory }: ObservedReplica): boolean =>
  phase === 'exited' && exitCode === 137 && !outOfMemory

async function observeOne({ engine }: EnvironmentContext, rollout: Rollout, index: number) {
  const observed = await engine.observe()
  return observed.find((one) => one.rolloutId === rollout.rolloutId && one.index === index) ?? null
}

async function failed(
  context: EnvironmentContext,
  replica: ObservedReplica | null,
  short: string,
): Promise<WakeFailed> {
  const reason = replica?.phase === 'running' ? 'READINESS_TIMEOUT' : 'CONTAINER_EXITED'
  return new WakeFailed(reason, short, `${short}${await lastLines(context, replica)}`)
}
