import type { Rollout } from '../../runtime/container-runtime.ts'

/** What one replica of a rollout is made from. */
export interface ReplicaPart extends Omit<Rollout, 'followers' | 'replicas'> {
  /** Its name on the account's network, which others may have too. */
  alias: string
  scratchPaths: readonly string[]
}

export function replicaOf({ followers, replicas: _, ...rollout }: Rollout, index: number): ReplicaPart {
  if (!followers || index === 0) return { ...rollout, alias: rollout.cliEnvName, scratchPaths: [] }
  const { command, files, dataPath, alias } = followers
  const environment = { ...rollout.environment, ...followers.environment, BERTH_REPLICA: String(index) }
  const group = rollout.group && { ...rollout.group, aliases: [] }
  return { ...rollout, command, environment, files, alias, group, volume: null, scratchPaths: [dataPath] }
}
