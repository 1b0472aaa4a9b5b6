import { ask, type DockerEngine } from '../../engine/docker/connection.ts'
import { LABEL } from '../../engine/docker/labels.ts'
import type { DiskUse } from '../container-runtime.ts'
import { replicaFilters } from './container-labels.ts'
import { volumeName } from './volumes.ts'

interface Measured {
  Id: string
  Labels: Record<string, string>
  SizeRw?: number
}

/** The engine adds up the files of each container's writable layer: with many files that takes it a while. */
export async function readDiskUse(engine: DockerEngine, signal: AbortSignal): Promise<DiskUse[]> {
  const filters = JSON.stringify(replicaFilters(engine.installationId))
  const found = await ask(engine, { path: '/containers/json', query: { size: true, filters }, signal })
  return (found as Measured[]).map(({ Id, Labels, SizeRw }) => ({
    containerId: Id,
    appEnvId: Labels[LABEL.appEnv] ?? '',
    bytes: SizeRw ?? 0,
  }))
}

interface Volumes {
  Volumes: { Name: string; UsageData?: { Size: number } | null }[] | null
}

/** The engine adds up the files of every volume that it has. */
export async function readVolumeUse(
  engine: DockerEngine,
  volumeIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const found = (await ask(engine, { path: '/system/df', query: { type: 'volume' }, signal })) as Volumes
  const sizes = new Map((found.Volumes ?? []).map(({ Name, UsageData }) => [Name, UsageData?.Size ?? -1]))
  return new Map(
    volumeIds.flatMap((id) => {
      const bytes = sizes.get(volumeName(engine.installationId, id))
      // The engine says -1 where its driver cannot tell.
      return bytes === undefined || bytes < 0 ? [] : [[id, bytes] as const]
    }),
  )
}
