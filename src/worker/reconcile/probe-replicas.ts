import type { Replica } from '../../database/generated/prisma/client.ts'
import { type Configuration, recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica } from '../../runtime/container-runtime.ts'
import { isReachable } from '../../runtime/readiness.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { NOT_CONNECTED, probeReplica } from '../probes/probe-replica.ts'
import { probeStartupAndLiveness } from '../probes/startup-and-liveness.ts'
import type { ReplicaPlan } from './replica-plan.ts'
import { hasUsedUpFailures, type Probed, wasReady } from './replica-states.ts'

type Result = Omit<Probed, 'index' | 'row' | 'observed'>

/** Probes every running replica that should serve, and decides which must be connected or replaced. */
export async function probeReplicas(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  { wanted }: ReplicaPlan,
): Promise<Probed[]> {
  const content = appEnv.currentContent
  if (!content) return []
  const configuration = recordedConfiguration(content)
  return Promise.all(
    wanted.map(async ({ index, observed }) => {
      const row = appEnv.replicas.find((one) => one.rolloutId === appEnv.rolloutId && one.index === index) ?? null
      if (observed?.phase !== 'running') return { index, observed, row, failure: null, failures: 0 }
      return { index, observed, row, ...(await probeOne(context, observed, row, configuration)) }
    }),
  )
}

async function probeOne(
  context: EnvironmentContext,
  observed: ObservedReplica,
  row: Replica | null,
  configuration: Configuration,
): Promise<Result> {
  const { disk, repairs } = context
  const excess = disk.excessOf(observed.containerId)
  if (excess) return { failure: excess, failures: 0, failureReason: excess }
  if (!observed.isConnected) return disconnected(context, observed)
  const result = await probeProgram(context, observed, row, configuration)
  if (result.failure === null) repairs.recordReady(observed)
  return result.failure === null ? result : whetherReachable(context, observed, result)
}

/** No probe is sent: what it finds would be blamed on the program. */
function disconnected({ repairs, lease }: EnvironmentContext, observed: ObservedReplica): Result {
  const lost = { failure: NOT_CONNECTED, failures: 0 }
  if (repairs.mayConnect(observed)) return { ...lost, mayConnect: true }
  const mayReplace = repairs.takeReplacement(observed, lease.claim.clock.now())
  return { ...lost, failureReason: mayReplace ? `network: ${NOT_CONNECTED}, and cannot be connected` : null }
}

/** A container whose network does not answer is replaced, but not as often as one whose program fails. */
async function whetherReachable(
  { repairs, lease, signal }: EnvironmentContext,
  observed: ObservedReplica,
  result: Result,
): Promise<Result> {
  if (observed.address === null || (await isReachable(observed.address, signal))) return result
  const isOver = Boolean(result.failureReason) || hasUsedUpFailures(result)
  const mayReplace = isOver && repairs.takeReplacement(observed, lease.claim.clock.now())
  const failureReason = mayReplace ? `network: nothing answers at its address (${result.failure})` : null
  return { ...result, failureReason, isUnreachable: true }
}

async function probeProgram(
  { probes, signal, lease }: EnvironmentContext,
  observed: ObservedReplica,
  row: Replica | null,
  configuration: Configuration,
): Promise<Result> {
  const now = lease.claim.clock.now()
  const circumstances = { now, wasReady: wasReady({ row, observed }), probes, signal }
  const { hasStarted, failureReason } = await probeStartupAndLiveness(observed, configuration, circumstances)
  if (failureReason) return { failure: failureReason, failures: 0, failureReason }
  if (!hasStarted) return { failure: 'its startup probe has not succeeded yet', failures: 0 }
  const { ready, reason } = await probeReplica(observed, configuration, signal)
  const failures = probes.recordResult(observed.containerId, ready)
  const failuresAllowed = configuration.healthCheck.readiness?.failureThreshold
  return { failure: ready ? null : reason, failures, failuresAllowed }
}
