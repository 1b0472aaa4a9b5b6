import type { EnvironmentContext } from '../context/environment-context.ts'

/** Stops and removes containers in parallel, each within its grace period. */
export async function removeReplicas(
  context: EnvironmentContext,
  replicas: readonly { rolloutId: string; index: number }[],
): Promise<void> {
  const results = await Promise.allSettled(
    replicas.map(({ rolloutId, index }) => context.engine.remove({ rolloutId, index }, context.graceSeconds)),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
