import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { DiskUse } from '../../runtime/container-runtime.ts'
import { inParallel } from '../../runtime/in-parallel.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { LABEL } from '../labels.ts'
import { replicaFilters } from './container-labels.ts'
import { findContainer, listReplicas } from './find-containers.ts'
import { volumeName } from './volumes.ts'

interface Measured {
  Id: string
  Labels: Record<string, string>
  SizeRw?: number
  Mounts?: { Type: string; Name?: string }[]
}

/** The engine names volumes so that it makes for an image's VOLUME instructions. They go with their container. */
const ANONYMOUS = /^[0-9a-f]{64}$/

/**
 * The engine adds up the files of each container's writable layer, and of the volumes that its image declares: with many files
 * that takes it a while.
 */
export async function readDiskUse(engine: DockerEngine, signal: AbortSignal): Promise<DiskUse[]> {
  const filters = JSON.stringify(replicaFilters(engine.installationId))
  const query = { size: true, filters }
  const found = (await ask(engine, { path: '/containers/json', query, signal })) as Measured[]
  const hasVolumes = found.some((container) => anonymousVolumes(container).length > 0)
  const sizes: ReadonlyMap<string, number> = hasVolumes ? await readVolumeSizes(engine, signal) : new Map()
  return found.map((container) => ({
    containerId: container.Id,
    appEnvId: container.Labels[LABEL.appEnv] ?? '',
    bytes: anonymousVolumes(container).reduce(
      (sum, name) => sum + Math.max(0, sizes.get(name) ?? 0),
      container.SizeRw ?? 0,
    ),
  }))
}

const anonymousVolumes = ({ Mounts = [] }: Measured): string[] =>
  Mounts.flatMap(({ Type, Name = '' }) => (Type === 'volume' && ANONYMOUS.test(Name) ? [Name] : []))

interface Volumes {
  Volumes: { Name: string; UsageData?: { Size: number } | null }[] | null
}

/** The engine adds up the files of every volume that it has; -1 where its driver does not know. */
async function readVolumeSizes(engine: DockerEngine, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const found = (await ask(engine, { path: '/system/df', query: { type: 'volume' }, signal })) as Volumes
  return new Map((found.Volumes ?? []).map(({ Name, UsageData }) => [Name, UsageData?.Size ?? -1]))
}

export async function readVolumeUse(
  engine: DockerEngine,
  volumeIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const sizes = await readVolumeSizes(engine, signal)
  return new Map(
    volumeIds.flatMap((id) => {
      const bytes = sizes.get(volumeName(engine.installationId, id))
      return bytes === undefined || bytes < 0 ? [] : [[id, bytes] as const]
    }),
  )
}

const run = promisify(execFile)
const AT_ONCE = 2

/**
 * Counts what is in the writable layers of containers, where engine and worker are on one machine and the worker is root. The
 * engine itself counts bytes alone.
 */
export async function readFileCounts(engine: DockerEngine, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const listed = await listReplicas(engine, {}, signal)
  const counting = listed.map(({ Id }) => async () => {
    const found = await findContainer(engine, Id, signal)
    const layer = found?.State.Pid ? await writableLayer(found.State.Pid) : null
    if (layer) counts.set(Id, await countFiles(layer, signal))
  })
  await inParallel(counting, AT_ONCE, (work) => work())
  return counts
}

/** As the kernel has it mounted, whichever store the engine has. */
async function writableLayer(pid: number): Promise<string | null> {
  const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
  const root = mounts.split('\n').find((line) => line.split(' ')[4] === '/' && line.includes(' - overlay '))
  return /[ ,]upperdir=([^, ]+)/.exec(root ?? '')?.[1] ?? null
}

async function countFiles(folder: string, signal: AbortSignal): Promise<number> {
  const { stdout } = await run('nice', ['du', '--inodes', '-sx', folder], { signal })
  return Number.parseInt(stdout, 10) || 0
}
