export type AppEnvStatus = 'PENDING' | 'UPDATING' | 'RUNNING' | 'STOPPED'
export type Health = 'HEALTHY' | 'DEGRADED' | 'UNHEALTHY' | 'UNKNOWN'

/** Desired and observed replicas in one word (contract §2). */
export function healthOf(desired: number, ready: number): Health {
  if (desired === 0) return 'UNKNOWN'
  if (ready >= desired) return 'HEALTHY'
  return ready > 0 ? 'DEGRADED' : 'UNHEALTHY'
}
