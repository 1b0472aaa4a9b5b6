import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { createDatabase } from '../database/client.ts'
import { startEmbeddedPostgres } from '../database/embedded.ts'
import { explainRefusal } from '../database/explain-refusal.ts'
import { migrate } from '../database/migrate.ts'
import { createSchemaReadiness, databaseReadiness } from '../database/schema-readiness.ts'
import { enableFaultInjection } from '../fault-injection/failpoint.ts'
import type { ContainerRuntime } from '../runtime/container-runtime.ts'
import { createVault } from '../secrets/vault.ts'
import { openInstallation } from '../services/installation.ts'
import { releaseFormerLeases } from '../worker/claim/release-former-leases.ts'
import { openContainerEngine } from './container-engine.ts'
import { type DataDir, isIngressOnly, openDataDir } from './data-dir.ts'
import { openMasterKey, openVault } from './master-key.ts'
import { ParallelDisposal } from './parallel-disposal.ts'
import { assertPortsFree } from './ports.ts'
import type { ProcessInfo } from './process-registry/process-info.ts'
import { registerProcess } from './process-registry/process-registry.ts'
import type { ControlPlaneContext, RoleContext } from './role-context.ts'
import { startHealth } from './roles/start-health.ts'

export interface Platform {
  /** Null when this process does not have the role. */
  apiUrl: string | null
  ingressUrl: string | null
  /** The port that the ingress listens on; its URL may name another, or none. */
  ingressPort: number | null
  /** Name and version of the container engine; null when none answers, or the process has no worker. */
  engine: string | null
  /** Labels what this Berth owns on the engine; null in a process that is only an ingress. */
  installationId: string | null
  adminToken: string
  adminTokenFile: string | null
  /** Other processes on the same data directory. */
  otherProcesses: readonly ProcessInfo[]
  /** Stops the roles in order. Containers keep running: the next start adopts them. */
  stop(): Promise<void>
}

const ENGINE_PROBE_SECONDS = 5

/** Starts Berth in this process: the database, the installation, then the configured roles. */
export async function startPlatform(config: Config, log: Logger): Promise<Platform> {
  await using undo = new AsyncDisposableStack()
  if (config.BERTH_FAULT_INJECTION) enableFaultInjection(config.BERTH_FAULT_INJECTION)
  const dataDir = openDataDir(config)
  const processRegistration = await registerProcess(dataDir.path, config.BERTH_ROLES, log)
  undo.defer(() => processRegistration.close())
  await assertPortsFree(config, processRegistration)
  const databaseUrl = config.DATABASE_URL ?? (await embedded(config, dataDir.path, undo))
  const shared = { config, log, dataDir: dataDir.path, databaseUrl, processRegistration, undo }
  const context: RoleContext = { ...shared, registry: new Registry(), readiness: {} }
  const served = isIngressOnly(config) ? await serveIngressAlone(context) : await serveRoles(context, dataDir)
  const { living: otherProcesses } = await processRegistration.listProcesses()
  const running = undo.move()
  const { adminToken, adminTokenFile } = dataDir
  const stop = () => {
    processRegistration.about.isStopping = true
    return running.disposeAsync()
  }
  const { apiUrl, ingressUrl } = processRegistration.about
  return { ...served, apiUrl, ingressUrl, adminToken, adminTokenFile, otherProcesses, stop }
}

type Served = Pick<Platform, 'ingressPort' | 'engine' | 'installationId'>

/** An ingress alone must start, and route from its last table, while the database is down: it queries nothing here. */
async function serveIngressAlone(context: RoleContext): Promise<Served> {
  const { startIngress } = await import('./roles/start-ingress.ts')
  context.readiness.schema = { isRequired: false, check: createSchemaReadiness(context.databaseUrl) }
  const { port: ingressPort, knowsHost } = await startIngress(context)
  await startHealth(context, knowsHost)
  return { ingressPort, engine: null, installationId: null }
}

async function serveRoles(base: RoleContext, { adminToken }: DataDir): Promise<Served> {
  const { config, log, dataDir, databaseUrl, readiness, undo } = base
  const applied = await migrated(config, databaseUrl)
  if (applied.length > 0) log.info({ applied }, 'Migrated the database')
  const database = createDatabase({ url: databaseUrl, poolSize: config.DATABASE_POOL_SIZE })
  undo.defer(() => database.$disconnect())
  readiness.database = { isRequired: true, check: () => databaseReadiness(database) }
  const masterKey = await openMasterKey(config, dataDir, database)
  const installationId = await openInstallation(database, createVault(masterKey), config, adminToken)
  const vault = await openVault(database, masterKey)
  const engine = openContainerEngine(config, installationId)
  const context: ControlPlaneContext = { ...base, ...engine, database, vault }
  await releaseLeasesOfDeadWorkers(context)

  const { BERTH_ROLES: roles } = config
  const isWorker = roles.includes('worker')
  const ending = undo.use(new ParallelDisposal())
  const part = (): ControlPlaneContext => ({ ...context, undo: ending.part() })
  // Each role loads its modules only where it is played: a process that died is back sooner, and smaller.
  if (isWorker) (await import('./roles/start-worker.ts')).startWorker(part())
  const ingress = roles.includes('ingress')
    ? await (await import('./roles/start-ingress.ts')).startIngress(part())
    : null
  if (roles.includes('api')) await (await import('./roles/start-api.ts')).startApi(part())
  await startHealth(context, ingress?.knowsHost)
  return { ingressPort: ingress?.port ?? null, engine: isWorker ? await nameOf(engine.runtime) : null, installationId }
}

async function migrated(config: Config, databaseUrl: string): Promise<string[]> {
  try {
    return await migrate(databaseUrl)
  } catch (error) {
    throw (config.DATABASE_URL && explainRefusal(error, databaseUrl)) || error
  }
}

/** Ends the leases of killed processes, so that their work resumes now instead of when the leases expire. */
async function releaseLeasesOfDeadWorkers({ database, processRegistration, log }: ControlPlaneContext): Promise<void> {
  try {
    const { deadWorkers } = await processRegistration.listProcesses()
    const ended = await releaseFormerLeases(database, deadWorkers)
    processRegistration.removeDead(deadWorkers)
    if (ended > 0) log.info({ ended }, 'Released the leases of workers that died')
  } catch (error) {
    log.warn({ err: error }, 'Releasing the leases of dead workers failed; the leases expire on their own')
  }
}

/** An ingress alone gets no more of the database than its routes. */
async function embedded(config: Config, dataDir: string, undo: AsyncDisposableStack): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir })
  undo.defer(() => postgres.stop())
  return isIngressOnly(config) ? postgres.ingressUrl : postgres.url
}

async function nameOf(runtime: ContainerRuntime): Promise<string | null> {
  const info = await runtime.info({ timeoutSeconds: ENGINE_PROBE_SECONDS }).catch(() => null)
  return info ? `${info.name} ${info.version}` : null
}
