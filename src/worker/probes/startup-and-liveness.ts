import type { Configuration } from '../../domain/configuration.ts'
import { failureWindowSeconds, type HealthCheck, type ProbeSettings } from '../../domain/health-check.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { ProbeHistory } from './probe-history.ts'
import { type ProbeContext, sendProbe } from './probe-replica.ts'

type Probed = Pick<Configuration, 'port'> & { healthCheck: HealthCheck }

export interface ProbeState {
  /** False until the startup probe has succeeded: no other probe counts before. */
  hasStarted: boolean
  /** Why the container must be restarted; null while it is alive. */
  failureReason: string | null
}

const ALIVE: ProbeState = { hasStarted: true, failureReason: null }

interface ProbeConditions {
  now: Date
  /** The replica took traffic in this run of its container, so it has started, whatever its startup probe says now. */
  wasReady: boolean
}

/** Sends a running replica its startup and liveness probes when they are due. */
export async function probeStartupAndLiveness(
  context: Pick<ProbeContext, 'engine' | 'signal'> & { probes: ProbeHistory },
  replica: ObservedReplica,
  { port, healthCheck }: Probed,
  { now, wasReady }: ProbeConditions,
): Promise<ProbeState> {
  const { probes } = context
  const { startup, liveness } = healthCheck
  const ageSeconds = (now.getTime() - (replica.startedAt?.getTime() ?? now.getTime())) / 1000
  const run = `${replica.containerId} ${replica.startedAt?.getTime()}`
  if (startup && !wasReady && !probes.hasPassed(`${run} startup`)) {
    if (ageSeconds < startup.initialDelaySeconds) return { hasStarted: false, failureReason: null }
    const { ready, reason } = await sendProbe(context, replica, port, startup)
    if (!ready)
      return { hasStarted: false, failureReason: isOverdue(startup, ageSeconds) ? `startup probe: ${reason}` : null }
    probes.recordSuccess(`${run} startup`)
  }
  if (!liveness || ageSeconds < liveness.initialDelaySeconds) return ALIVE
  if (!probes.isDue(`${run} liveness`, liveness.periodSeconds, now)) return ALIVE
  const { ready, reason } = await sendProbe(context, replica, port, liveness)
  const failures = probes.recordResult(`${run} liveness`, ready)
  return failures < liveness.failureThreshold ? ALIVE : { hasStarted: true, failureReason: `liveness probe: ${reason}` }
}

export const isOverdue = (startup: ProbeSettings, ageSeconds: number): boolean =>
  ageSeconds > startup.initialDelaySeconds + failureWindowSeconds(startup)
