import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/client.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Readiness } from '../server/health.ts'
import type { ContainerEngine } from './container-engine.ts'
import type { ProcessRegistration } from './process-registry/process-registry.ts'

/** What every role needs. */
export interface RoleContext {
  config: Config
  log: Logger
  dataDir: string
  databaseUrl: string
  registry: Registry
  readiness: Record<string, Readiness[string]>
  processRegistration: ProcessRegistration
  /** Stops what was started, in reverse order. */
  undo: AsyncDisposableStack
}

/** What the api and the worker need besides. */
export interface ControlPlaneContext extends RoleContext {
  database: Database
  vault: Vault
}

/** The worker alone calls the engine. */
export interface WorkerContext extends ControlPlaneContext, ContainerEngine {}
