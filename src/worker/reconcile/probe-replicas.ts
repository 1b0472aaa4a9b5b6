import { type Configuration, recordedConfiguration } from '../../domain/configuration.ts'
import { healthCheckType, readinessOf } from '../../domain/health-check.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import { isReachable } from '../../engines/runtime/readiness.ts'
import type { Content, Replica } from '../../storage/database/generated/prisma/client.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { NOT_CONNECTED, probeReplica } from '../probes/probe-replica.ts'
import { probeStartupAndLiveness } from '../probes/startup-and-liveness.ts'
import { probeService } from '../service/probe-service.ts'
import type { ReplicaPlan } from './replica-plan.ts'
import { hasUsedUpFailures, type Probed, wasReady } from './replica-states.ts'

const CUT_OFF = 'nothing answers at its address'

type Result = Omit<Probed, 'index' | 'row' | 'observed'>

/** Probes every running replica that should serve, and decides which must be connected or replaced. */
export async function probeReplicas(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  { wanted }: ReplicaPlan,
): Promise<Probed[]> {
  const content = appEnv.currentContent
  if (!content) return []
  return Promise.all(
    wanted.map(async ({ index, observed }) => {
      const row = appEnv.replicas.find((one) => one.rolloutId === appEnv.rolloutId && one.index === index) ?? null
      if (observed?.phase !== 'running') return { index, observed, row, failure: null, failures: 0 }
      return { index, observed, row, ...(await probeOne(context, appEnv, content, observed, row)) }
    }),
  )
}

async function probeOne(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  observed: ObservedReplica,
  row: Replica | null,
): Promise<Result> {
  const configuration = recordedConfiguration(content)
  const { disk, repairs } = context
  const excess = disk.excessOf(observed.containerId)
  if (excess) return { failure: excess, failures: 0, failureReason: excess }
  if (!observed.isConnected) return disconnected(context, observed)
  // Once unreachable, its network is asked first: a probe waits for its whole timeout.
  const isCutOff = context.probes.failuresOf(networkOf(observed)) > 0 && !(await answers(context, observed))
  const result = isCutOff
    ? cutOff(context, observed, configuration)
    : await probeProgram(context, appEnv, content, observed, row)
  if (result.failure === null) repairs.recordReady(observed)
  const isUnreachable = isCutOff || (result.failure !== null && !(await answers(context, observed)))
  return isUnreachable ? unreachable(context, observed, result) : result
}

/** Key of the history of what answers at the container's address, whatever its program does. */
const networkOf = ({ containerId }: ObservedReplica) => `${containerId} network`

async function answers({ probes, signal }: EnvironmentContext, observed: ObservedReplica): Promise<boolean> {
  const isAnswered = await isReachable(observed, signal)
  probes.recordResult(networkOf(observed), isAnswered)
  return isAnswered
}

function cutOff(
  { probes }: EnvironmentContext,
  { containerId }: ObservedReplica,
  { healthCheck }: Configuration,
): Result {
  const failures = probes.recordResult(containerId, false)
  return { failure: CUT_OFF, failures, failuresAllowed: readinessOf(healthCheck).failureThreshold }
}

/** No probe is sent: what it finds would be blamed on the program. */
function disconnected({ repairs, lease }: EnvironmentContext, observed: ObservedReplica): Result {
  const lost = { failure: NOT_CONNECTED, failures: 0 }
  if (repairs.mayConnect(observed)) return { ...lost, mayConnect: true }
  const mayReplace = repairs.takeReplacement(observed, lease.claim.clock.now())
  return { ...lost, failureReason: mayReplace ? `network: ${NOT_CONNECTED}, and cannot be connected` : null }
}

/** A container whose network does not answer is replaced, but not as often as one whose program fails. */
function unreachable({ repairs, lease }: EnvironmentContext, observed: ObservedReplica, result: Result): Result {
  const isOver = Boolean(result.failureReason) || hasUsedUpFailures(result)
  const mayReplace = isOver && repairs.takeReplacement(observed, lease.claim.clock.now())
  return { ...result, failure: CUT_OFF, failureReason: mayReplace ? `network: ${CUT_OFF}` : null, isUnreachable: true }
}

async function probeProgram(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  observed: ObservedReplica,
  row: Replica | null,
): Promise<Result> {
  const { probes, lease } = context
  const configuration = recordedConfiguration(content)
  const now = lease.claim.clock.now()
  const circumstances = { now, wasReady: wasReady({ row, observed }) }
  const { hasStarted, failureReason } = await probeStartupAndLiveness(context, observed, configuration, circumstances)
  if (failureReason) return { failure: failureReason, failures: 0, failureReason }
  if (!hasStarted) return { failure: 'its startup probe has not succeeded yet', failures: 0 }
  const failuresAllowed = readinessOf(configuration.healthCheck).failureThreshold
  if (isSpared(context, observed, configuration)) return { failure: null, failures: 0, failuresAllowed }
  const { ready, reason } =
    (await probeService(context, appEnv, content, observed)) ?? (await probeReplica(context, observed, configuration))
  const failures = probes.recordResult(observed.containerId, ready)
  return { failure: ready ? null : reason, failures, failuresAllowed }
}

const COMMAND_PERIOD_SECONDS = 10

/** A command costs the container more than a connection: while it succeeds, it is run no more often than its period says. */
function isSpared(
  { probes, lease }: EnvironmentContext,
  { containerId, startedAt }: ObservedReplica,
  { healthCheck }: Configuration,
): boolean {
  const readiness = readinessOf(healthCheck)
  if (healthCheckType(readiness) !== 'COMMAND' || probes.failuresOf(containerId) > 0) return false
  const probe = `${containerId} ${startedAt?.getTime()} readiness`
  return !probes.isDue(probe, readiness.periodSeconds ?? COMMAND_PERIOD_SECONDS, lease.claim.clock.now())
}
