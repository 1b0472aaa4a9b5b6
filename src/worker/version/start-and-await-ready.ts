import { isService } from '../../app-types/behaviours.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { asksNetwork, readinessOf } from '../../domain/health-check.ts'
import type { ObservedReplica, Rollout } from '../../engines/runtime/container-runtime.ts'
import type { Readiness } from '../../engines/runtime/readiness.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { besideCheckpoint } from '../attempt/beside-checkpoint.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import { askedWords, NOT_CONNECTED, probeReplica } from '../probes/probe-replica.ts'
import { probeStartupAndLiveness } from '../probes/startup-and-liveness.ts'
import { probeService } from '../service/probe-service.ts'
import { sleep } from '../time/sleep.ts'
import { ContainerEnds, exitOf } from './container-ends.ts'
import { lastLines } from './last-lines.ts'
import { ListeningWatch } from './listening-watch.ts'
import { readySeconds } from './ready-seconds.ts'
import { removeReplicas } from './remove-replicas.ts'

/** Most are asked over the network; a service, or a health check, by a program in the container, which costs much more. */
const FIRST_PAUSE_MS = { network: 4, command: 150 }
const MAX_PAUSE_MS = 1_000
/** Between two questions to the engine, which cost more than an attempt to connect. */
const OBSERVE_EVERY_MS = 25

/**
 * Takes the steps `create`, unless `isApplied`, and `ready`: returns the replicas of the rollout once all are. Restarts
 * containers that vanish or stop meanwhile. Throws RuntimeError CONTAINER_START_FAILED and IMAGE_NOT_FOUND, and
 * VersionFailed, with their last lines, when they keep dying or the time is up.
 */
export async function startAndAwaitReady(
  attempt: VersionAttemptContext,
  rollout: Rollout,
  { detail, isApplied = attempt.steps.isFinished('create') }: { detail: string; isApplied?: boolean },
): Promise<ObservedReplica[]> {
  const started = Promise.withResolvers<void>()
  const applied = isApplied ? Promise.resolve() : attempt.engine.apply(rollout, started.resolve)
  await Promise.race([applied, started.promise])
  // An app is often ready before its command is checked and the checkpoint written. Waiting builds on nothing but the
  // containers, which a successor that does not find the step finished has, too.
  const checkpoint = applied.then(() => attempt.steps.advance({ finish: { name: 'create', detail }, start: 'ready' }))
  return besideCheckpoint(checkpoint, attempt.signal, (signal) => waitUntilReady(attempt, rollout, applied, signal))
}

async function waitUntilReady(
  attempt: VersionAttemptContext,
  rollout: Rollout,
  applied: Promise<void>,
  signal: AbortSignal,
): Promise<ObservedReplica[]> {
  const { steps, config } = attempt
  const since = steps.startedAt('ready').getTime()
  const timeoutSeconds = readySeconds(attempt.content, config)
  const deadline = since + timeoutSeconds * 1000
  const wait = new ReadyWait(attempt, rollout, applied)
  const firstPauseMs = FIRST_PAUSE_MS[isAskedOverNetwork(attempt) ? 'network' : 'command']
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.3, MAX_PAUSE_MS)) {
    const ready = await wait.round()
    if (ready.length >= rollout.replicas) return ready
    const now = attempt.lease.claim.clock.now().getTime()
    if (now > deadline) throw await wait.timedOut(timeoutSeconds)
    // Most versions are ready within a second, so progress is shown only after that.
    if (now - since > MAX_PAUSE_MS) {
      const detail = `waiting: ${wait.reason} (${ready.length} of ${rollout.replicas} ready)`
      await steps.detail('ready', detail, `Not ready yet: ${wait.reason}`)
    }
    await sleep(pauseMs, signal)
    signal.throwIfAborted()
  }
}

/** A startup probe or a delay says how long the app takes. */
function asksForTime(content: VersionAttemptContext['content']): boolean {
  const { healthCheck } = recordedConfiguration(content)
  return healthCheck.startup !== undefined || (readinessOf(healthCheck).initialDelaySeconds ?? 0) > 0
}

/** A managed service knows its port, and may listen on its socket only while it prepares its data. */
const isAskedOverNetwork = ({ appEnv, content }: VersionAttemptContext): boolean =>
  !isService(appEnv.app) && asksNetwork(readinessOf(recordedConfiguration(content).healthCheck))

/** State kept between two rounds. */
class ReadyWait {
  reason = 'the containers are starting'
  readonly #attempt: VersionAttemptContext
  readonly #rollout: Rollout
  /** Until then its containers are in its hands. */
  readonly #applied: Promise<void>
  readonly #ready = new Set<string>()
  readonly #ends = new ContainerEnds()
  #unready: ObservedReplica | null = null
  readonly #listening: ListeningWatch
  #listensNowhere = false
  /** The replicas as they were last observed, all of them running. */
  #running: { replicas: ObservedReplica[]; at: number } | null = null

  constructor(attempt: VersionAttemptContext, rollout: Rollout, applied: Promise<void>) {
    this.#attempt = attempt
    this.#listening = new ListeningWatch(attempt)
    this.#rollout = rollout
    this.#applied = applied
  }

  async round(): Promise<ObservedReplica[]> {
    const known = this.#running
    if (!known || performance.now() - known.at >= OBSERVE_EVERY_MS) return this.#observe()
    await Promise.all(known.replicas.map((replica) => this.#probe(replica)))
    // Its address may be another container's by now, so the engine has the last word.
    return known.replicas.every((replica) => this.#ready.has(identity(replica))) ? this.#observe() : []
  }

  async #observe(): Promise<ObservedReplica[]> {
    const { engine } = this.#attempt
    this.#running = null
    const at = performance.now()
    const observed = (await engine.observe()).filter((replica) => replica.rolloutId === this.#rollout.rolloutId)
    for (const replica of observed) await this.#failIfDying(replica)
    const running = observed.filter((replica) => replica.phase === 'running' && replica.index < this.#rollout.replicas)
    const down = observed.filter((replica) => replica.phase !== 'running' && replica.phase !== 'restarting')
    const lost = running.filter((replica) => !replica.isConnected)
    if (observed.length < this.#rollout.replicas || down.length + lost.length > 0) {
      await this.#applied
      for (const replica of lost) await this.#giveUpConnecting(replica)
      await engine.apply(this.#rollout)
    }
    const connected = running.filter((replica) => replica.isConnected)
    if (connected.length === this.#rollout.replicas) this.#running = { replicas: connected, at }
    await Promise.all(connected.map((replica) => this.#probe(replica)))
    return connected.filter((replica) => this.#ready.has(identity(replica)))
  }

  /** Removes a container that the engine does not connect to its network; the same round creates it again. */
  async #giveUpConnecting(replica: ObservedReplica): Promise<void> {
    const { repairs, lease } = this.#attempt
    const now = lease.claim.clock.now()
    this.reason = `container ${replica.index}: ${NOT_CONNECTED}`
    if (repairs.mayConnect(replica)) repairs.recordConnect(replica, now)
    else if (repairs.takeReplacement(replica, now)) await removeReplicas(this.#attempt, [replica])
  }

  async timedOut(seconds: number): Promise<VersionFailed> {
    // A dead container explains more than a probe without an answer, however late it dies again.
    const dead = this.#ends.newest
    const words = await lastLines(this.#attempt, dead ?? this.#unready)
    const reason = dead ? `container ${dead.index} ${exitOf(dead)}` : this.reason
    const hint = !dead && this.#listensNowhere ? WORKER_HINT : ''
    const message = `Not ready within ${seconds} s: ${reason}${hint}${words}`
    return new VersionFailed(dead ? reasonOf(dead) : 'READINESS_TIMEOUT', message)
  }

  async #probe(replica: ObservedReplica): Promise<void> {
    if (this.#ready.has(identity(replica))) return
    const { ready, reason, ...probed } = await this.#ask(replica)
    if (ready) this.#ready.add(identity(replica))
    else {
      this.reason = (await this.#listensElsewhere(replica, probed)) ?? reason
      this.#unready = replica
    }
  }

  /** Fails the version when waiting longer would not help. */
  async #listensElsewhere(replica: ObservedReplica, probed: { isRefused?: boolean }): Promise<string | null> {
    if (!isAskedOverNetwork(this.#attempt)) return null
    const { healthCheck, port } = recordedConfiguration(this.#attempt.content)
    const isOwnPort = [null, undefined, port].includes(readinessOf(healthCheck).port)
    const found = await this.#listening.elsewhere(replica, identity(replica), isOwnPort ? probed : {})
    this.#listensNowhere = found?.isNowhere ?? false
    if (!found) return null
    const words = `container ${replica.index} ${found.words}`
    if (found.isLasting && found.isSteady && !asksForTime(this.#attempt.content)) {
      throw new VersionFailed('LISTENS_ELSEWHERE', `${capitalised(words)}${await lastLines(this.#attempt, replica)}`)
    }
    return words
  }

  /** Readiness is probed after the startup probe has succeeded, and after its own delay. */
  async #ask(replica: ObservedReplica): Promise<Readiness> {
    const { content, lease } = this.#attempt
    const configuration = recordedConfiguration(content)
    const now = lease.claim.clock.now()
    const { startup } = configuration.healthCheck
    const { type, initialDelaySeconds = 0 } = readinessOf(configuration.healthCheck)
    const ageSeconds = (now.getTime() - (replica.startedAt?.getTime() ?? now.getTime())) / 1000
    if (type !== 'NONE' && ageSeconds < initialDelaySeconds)
      return { ready: false, reason: `the readiness probe begins after ${initialDelaySeconds} s` }
    const { hasStarted, failureReason } = await probeStartupAndLiveness(
      this.#attempt,
      replica,
      // A replica that does not take traffic yet is not restarted for a failed liveness probe.
      { port: configuration.port, healthCheck: { ...configuration.healthCheck, liveness: undefined } },
      { now, wasReady: false },
    )
    if (failureReason)
      throw new VersionFailed('STARTUP_FAILED', `Container ${replica.index} has not started: ${failureReason}`)
    if (!hasStarted)
      return { ready: false, reason: `the startup probe waits for ${startup ? askedWords(startup) : 'its port'}` }
    return (
      (await probeService(this.#attempt, this.#attempt.appEnv, content, replica)) ??
      probeReplica(this.#attempt, replica, configuration)
    )
  }

  async #failIfDying(replica: ObservedReplica): Promise<void> {
    const end = this.#ends.add(replica)
    if (!end) return
    this.reason = `container ${replica.index} ${end.words}${hintOf(end.replica)}`
    if (!end.isHopeless) return
    throw new VersionFailed(
      reasonOf(end.replica),
      `${capitalised(this.reason)}${await lastLines(this.#attempt, end.replica)}`,
    )
  }
}

/** A restarted container has a new address, and has to become ready again. */
const identity = ({ containerId, address, restartCount }: ObservedReplica) =>
  `${containerId} ${address} ${restartCount}`

const WORKER_HINT =
  '. A program that serves no requests, such as a worker, needs no port: set healthCheck { "type": "NONE" } on the app'

const hintOf = ({ exitCode }: ObservedReplica) => (exitCode === 0 ? '; the program of an app has to keep running' : '')

const reasonOf = ({ outOfMemory }: ObservedReplica) => (outOfMemory ? 'OUT_OF_MEMORY' : 'CONTAINER_EXITED')

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
