import { statfs } from 'node:fs/promises'
import { freemem, loadavg, totalmem } from 'node:os'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { type EngineScope, isOnEngine } from '../scope/engine-scope.ts'

const BYTES_PER_MB = 1_048_576

interface Load {
  loadAverage: number | null
  memoryUsedMb: number | null
  diskMb: number | null
  diskFreeMb: number | null
}

const UNKNOWN: Load = { loadAverage: null, memoryUsedMb: null, diskMb: null, diskFreeMb: null }

type Measured = Pick<WorkerContext, 'database' | 'runtime' | 'config' | 'scope'>

/**
 * Records how large the engine’s machine is and, where this worker runs on it, how busy. Engines say nothing of the load of
 * their machine: on another one, it stays unknown.
 */
export async function measureMachine(
  { database, runtime, config, scope }: Measured,
  signal: AbortSignal,
): Promise<void> {
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const { cpus, memoryBytes, dataRoot } = await runtime.machine(bounds)
  const { loadAverage, memoryUsedMb, diskMb, diskFreeMb } = isThisMachine(scope, memoryBytes)
    ? await loadOf(dataRoot)
    : UNKNOWN
  await database.$executeRaw`
    UPDATE engine_host SET cpus = ${cpus}, memory_mb = ${inMb(memoryBytes)}, load_average = ${loadAverage}::float8,
      memory_used_mb = ${memoryUsedMb}::int, disk_mb = ${diskMb}::int, disk_free_mb = ${diskFreeMb}::int, measured_at = now()
    WHERE ${isOnEngine(Prisma.sql`region_code`, scope)}`
}

/**
 * By its memory to the byte: an engine in a virtual machine has another. Two machines that are alike may have the same, so
 * that of regions only engines at a socket count.
 */
const isThisMachine = (scope: EngineScope, memoryBytes: number): boolean =>
  (scope === null || scope.engine.startsWith('unix:')) && memoryBytes === totalmem()

async function loadOf(dataRoot: string): Promise<Load> {
  const [loadAverage = 0] = loadavg()
  const own = { loadAverage, memoryUsedMb: inMb(totalmem() - freemem()) }
  try {
    const { blocks, bavail, bsize } = await statfs(dataRoot)
    return { ...own, diskMb: inMb(blocks * bsize), diskFreeMb: inMb(bavail * bsize) }
  } catch {
    // A worker in a container does not see the folder.
    return { ...own, diskMb: null, diskFreeMb: null }
  }
}

const inMb = (bytes: number): number => Math.floor(bytes / BYTES_PER_MB)
