import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Readiness } from '../api/server/health.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../storage/database/client.ts'
import type { Vault } from '../storage/secrets/vault.ts'
import type { OpenedEngine, RegionEngineAddress } from '../worker/region-engines.ts'
import type { ContainerEngine } from './container-engine.ts'
import type { ProcessRegistration } from './process-registry/process-registry.ts'
import type { SupervisorLink } from './supervisor-link.ts'

/** What every role needs. */
export interface RoleContext {
  config: Config
  log: Logger
  dataDir: string
  databaseUrl: string
  registry: Registry
  readiness: Record<string, Readiness[string]>
  processRegistration: ProcessRegistration
  /** Null when this process has no supervisor. */
  link: SupervisorLink | null
  /** Stops what was started, in reverse order. */
  undo: AsyncDisposableStack
}

/** What the api and the worker need besides. */
export interface ControlPlaneContext extends RoleContext {
  database: Database
  vault: Vault
}

/** The worker alone calls the engines: that of the installation, and those of regions. */
export interface WorkerContext extends ControlPlaneContext, ContainerEngine {
  openRegionEngine: (region: RegionEngineAddress) => OpenedEngine
}

/** What the roles of a process say about themselves once they are ready. */
export interface Served {
  /** The port that the ingress listens on; its URL may name another, or none. Null without an ingress. */
  ingressPort: number | null
  /** Name and version of the container engine; null when none answers, or the process has no worker. */
  engine: string | null
  /** Why the engine that answers cannot be used. */
  engineProblem: string | null
  /** Labels what this Berth owns on the engine; null in a process that is only an ingress. */
  installationId: string | null
}
