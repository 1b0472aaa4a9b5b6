import { ask, type DockerEngine } from '../../engine/docker/connection.ts'
import { LABEL } from '../../engine/docker/labels.ts'
import type { DiskUse } from '../container-runtime.ts'
import { replicaFilters } from './container-labels.ts'

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
