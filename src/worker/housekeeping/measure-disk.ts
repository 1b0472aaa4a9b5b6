import type { WorkerContext } from '../context/worker-context.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import { DiskGrowth } from './disk-growth.ts'
import { measureForever } from './measure-forever.ts'

const TIMEOUT_SECONDS = 120

/** Finds containers that write too much, and makes their environments due: a reconcile replaces them. */
export const measureDiskForever = (context: WorkerContext, signal: AbortSignal, wake: () => void): Promise<void> => {
  const everySeconds = context.config.BERTH_CONTAINER_DISK_SECONDS
  const growth = new DiskGrowth(context.runtime, context.config.BERTH_CONTAINER_DISK_MB)
  const measure = async () => {
    await growth.begin()
    await measureDisk(context, signal, wake)
  }
  const isUrgent = () => growth.isFast()
  return measureForever(context, { subject: 'disk use', everySeconds, measure, isUrgent }, signal)
}

export async function measureDisk(
  { runtime, engineHealth, disk, database }: WorkerContext,
  signal: AbortSignal,
  wake: () => void,
): Promise<void> {
  engineHealth.assertReachable()
  const over = disk.record(await runtime.diskUse({ signal, timeoutSeconds: TIMEOUT_SECONDS }))
  if (over.length === 0) return
  await makeDue(database, over)
  wake()
}
