import { wantedReplicas } from '../../app-types/behaviours.ts'
import type { AppEnv } from '../../storage/database/generated/prisma/client.ts'

type Counted = Pick<
  AppEnv,
  'status' | 'rolloutId' | 'containers' | 'replicasDesired' | 'replicasRunning' | 'replicasReady'
> & { app: { type: string } }

/**
 * Containers, desired and observed. Before the first version serves, the counts are those of the deployment in
 * progress.
 */
export function replicaCounts(appEnv: Counted): { desired: number; running: number; ready: number } {
  const isFirst = appEnv.rolloutId === null && appEnv.status === 'UPDATING'
  return {
    desired: isFirst ? wantedReplicas(appEnv) : appEnv.replicasDesired,
    running: appEnv.replicasRunning,
    ready: appEnv.replicasReady,
  }
}
