import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { RecordScaling } from '../../domain/autoscaling.ts'
import type { ImageBuilder } from '../../engines/images/image-builder.ts'
import type { ContainerRuntime } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import type { BuildSlots } from '../claim/build-slots.ts'
import type { EngineHealth } from '../engine/engine-health.ts'
import type { Collector } from '../logs/collector.ts'
import type { DiskQuota } from '../probes/disk-quota.ts'
import type { NetworkRepairs } from '../probes/network-repairs.ts'
import type { ProbeHistory } from '../probes/probe-history.ts'
import type { EngineScope } from '../scope/engine-scope.ts'

/** What a worker needs for work without an engine. */
export interface InstallationContext {
  database: Database
  vault: Vault
  config: Config
  log: Logger
  recordScaling: RecordScaling
  /** Begins the backups and verifications that schedules ask for. Any number of workers may. */
  beginDueBackups: () => Promise<void>
  /** Starts the job runs that schedules ask for; returns the seconds to the next. Any number of workers may. */
  beginDueJobRuns: () => Promise<number | null>
  /** Takes the installations of solutions further of which an operation has ended. */
  advanceInstallations: () => Promise<void>
  /** Begins to delete environments whose time is over. Any number of workers may. */
  deleteExpiredAppEnvs: () => Promise<void>
}

/** What a worker needs on one container engine, whichever environment it has claimed there. */
export interface WorkerContext extends InstallationContext {
  /** Which environments the engine runs. */
  scope: EngineScope
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
  engineHealth: EngineHealth
  probes: ProbeHistory
  repairs: NetworkRepairs
  disk: DiskQuota
  collector: Collector
  builds: BuildSlots
}
