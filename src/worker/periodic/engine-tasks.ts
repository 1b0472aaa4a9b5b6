import type { Config } from '../../config/config.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { measureMachine } from '../engine/measure-machine.ts'
import { DiskMeasurement } from '../housekeeping/measure-disk.ts'
import { meter } from '../housekeeping/meter.ts'
import {
  ContainerSweep,
  removeEndedRuns,
  sweepBuildSteps,
  sweepRuns,
  sweepTasks,
} from '../housekeeping/sweep-containers.ts'
import { clearBuildCaches, sweepImages, sweepPulledImages } from '../housekeeping/sweep-images.ts'
import { deleteVolumes, measureVolumes } from '../housekeeping/volumes.ts'
import { autoscale } from '../metrics/autoscale.ts'
import { measureServices } from '../metrics/measure-services.ts'
import { ReadingHistory } from '../metrics/reading-history.ts'
import { sampleContainers } from '../metrics/sample-containers.ts'
import type { RemoteSessionWorker } from '../remote-sessions/remote-session-worker.ts'
import { findDueScalings } from '../request-scaling/scaling-facts.ts'
import type { PeriodicTask } from './periodic-tasks.ts'

/** Sweeps of the whole engine are this many times rarer than reconciles of one environment. */
const RECONCILES_PER_SWEEP = 2
const MAX_SWEEP_SECONDS = 15
/** For what is kept for hours or days. */
const SELDOM_SECONDS = 60
/** Many volumes with many files. */
const VOLUMES_SECONDS = 3_600

interface Awakened {
  /** Something may be due. */
  wake: () => void
  /** Requests, or their absence, ask for environments to be scaled. */
  onDueScalings: (appEnvIds: readonly string[]) => void
}

export const sweepSecondsOf = ({ BERTH_RECONCILE_SECONDS }: Config): number =>
  Math.min(BERTH_RECONCILE_SECONDS * RECONCILES_PER_SWEEP, MAX_SWEEP_SECONDS)

/** Everything periodic on one container engine. Each worker does all of it; doing any of it twice is harmless. */
export function engineTasks(
  context: WorkerContext,
  remoteSessions: Pick<RemoteSessionWorker, 'sweepLost'>,
  { wake, onDueScalings }: Awakened,
): PeriodicTask[] {
  const { config, runtime, collector, engineHealth } = context
  const sweepSeconds = sweepSecondsOf(config)
  const often = { everySeconds: sweepSeconds }
  const seldom = { everySeconds: Math.max(SELDOM_SECONDS, sweepSeconds), firstAfterSeconds: sweepSeconds }
  const timeoutSeconds = config.BERTH_ENGINE_TIMEOUT_SECONDS
  const containers = new ContainerSweep(context, wake)
  const disk = new DiskMeasurement(context, wake)
  const readings = new ReadingHistory()
  const onEngine: PeriodicTask[] = [
    { name: 'containers', ...often, run: (signal) => containers.sweep(signal) },
    { name: 'machine', ...often, run: (signal) => measureMachine(context, signal) },
    { name: 'build-steps', ...often, run: (signal) => sweepBuildSteps(context, signal) },
    { name: 'service-tasks', ...often, run: (signal) => sweepTasks(context, signal) },
    { name: 'lost-remote-sessions', ...often, run: (signal) => remoteSessions.sweepLost(signal) },
    { name: 'ended-runs', ...often, run: (signal) => removeEndedRuns(context, signal) },
    { name: 'deleted-volumes', ...often, run: (signal) => deleteVolumes(context, signal) },
    { name: 'build-caches', ...often, run: (signal) => clearBuildCaches(context, signal) },
    { name: 'built-images', ...seldom, run: (signal) => sweepImages(context, signal) },
    { name: 'lost-runs', ...seldom, run: (signal) => sweepRuns(context, signal) },
    { name: 'pulled-images', ...seldom, run: (signal) => sweepPulledImages(context, signal) },
    { name: 'left-volumes', ...seldom, run: (signal) => runtime.removeLeftVolumes({ signal, timeoutSeconds }) },
    {
      name: 'disk-use',
      everySeconds: config.BERTH_CONTAINER_DISK_SECONDS,
      isCostly: true,
      run: (signal) => disk.measure(signal),
      isUrgent: () => disk.isUrgent(),
    },
    {
      name: 'volume-use',
      everySeconds: config.BERTH_VOLUME_MEASURE_SECONDS,
      isCostly: true,
      timeoutSeconds: VOLUMES_SECONDS,
      run: (signal) => measureVolumes(context, signal),
    },
    {
      // The environments whose logs this worker collects: each has exactly one such worker.
      name: 'container-metrics',
      everySeconds: config.BERTH_METRICS_SECONDS,
      isPunctual: true,
      async run(signal) {
        const { appEnvIds } = collector
        await sampleContainers({ ...context, signal, timeoutSeconds }, appEnvIds)
        await autoscale(context, appEnvIds)
      },
    },
    {
      // On a clock of its own: an engine of a service that hangs delays no measurement of containers.
      name: 'service-metrics',
      everySeconds: config.BERTH_SERVICE_METRICS_SECONDS,
      run: (signal) => measureServices(context, readings, collector.appEnvIds, signal),
    },
  ]
  return [
    ...onEngine.map((task) => ({
      ...task,
      // Also where it is another installation's.
      async run(signal: AbortSignal) {
        engineHealth.assertReachable()
        return task.run(signal)
      },
    })),
    { name: 'usage', everySeconds: config.BERTH_USAGE_SECONDS, run: (signal) => meter(context, signal) },
    {
      // Environments that became idle, which no notification announces, and lost notifications.
      name: 'due-scalings',
      everySeconds: 1,
      run: async () => onDueScalings(await findDueScalings(context)),
    },
  ]
}
