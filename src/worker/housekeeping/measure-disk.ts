import type { WorkerContext } from '../context/worker-context.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import { DiskGrowth } from './disk-growth.ts'
import { measureForever } from './measure-forever.ts'

const TIMEOUT_SECONDS = 120
/** Measurements: files that are made slowly are counted as well. */
const COUNTED_EVERY = 10

/** Finds containers that write too much, and makes their environments due: a reconcile replaces them. */
export const measureDiskForever = (context: WorkerContext, signal: AbortSignal, wake: () => void): Promise<void> => {
  const everySeconds = context.config.BERTH_CONTAINER_DISK_SECONDS
  const { BERTH_CONTAINER_DISK_MB, BERTH_CONTAINER_FILES } = context.config
  const growth = new DiskGrowth(context.runtime, BERTH_CONTAINER_DISK_MB, BERTH_CONTAINER_FILES)
  let round = 0
  const measure = async () => {
    const isFast = await growth.begin()
    round += 1
    await measureDisk(context, signal, wake, { countsFiles: isFast || round % COUNTED_EVERY === 0 })
  }
  const isUrgent = () => growth.isFast()
  return measureForever(context, { subject: 'disk use', everySeconds, measure, isUrgent }, signal)
}

export async function measureDisk(
  { runtime, engineHealth, disk, database }: WorkerContext,
  signal: AbortSignal,
  wake: () => void,
  { countsFiles = false } = {},
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: TIMEOUT_SECONDS }
  const files = countsFiles ? await runtime.fileCounts(bounds) : undefined
  const over = disk.record(await runtime.diskUse(bounds), files)
  if (over.length === 0) return
  await makeDue(database, over)
  wake()
}
