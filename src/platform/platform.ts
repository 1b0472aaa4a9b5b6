import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { createDatabase, type Database } from '../database/client.ts'
import { startEmbeddedPostgres } from '../database/embedded.ts'
import { explainRefusal } from '../database/explain-refusal.ts'
import { migrate } from '../database/migrate.ts'
import type { RecordScaling } from '../domain/autoscaling.ts'
import { createEventFeed } from '../events/feed.ts'
import { createWakeups } from '../events/wakeups.ts'
import { enableFaultInjection } from '../fault-injection/failpoint.ts'
import { createGraphQL } from '../graphql/graphql.ts'
import { createRateLimits } from '../http/rate-limits.ts'
import { createIngress } from '../ingress/ingress.ts'
import { RouteSource } from '../ingress/routes/route-source.ts'
import type { ContainerRuntime } from '../runtime/container-runtime.ts'
import { keyFromHex } from '../secrets/keys.ts'
import { createVault, type Vault } from '../secrets/vault.ts'
import type { Readiness } from '../server/health.ts'
import { createHealthServer, type KnowsHost } from '../server/health-server.ts'
import { listen } from '../server/listen.ts'
import { createServer } from '../server/server.ts'
import { openInstallation } from '../services/installation.ts'
import { autoscaleAppEnv } from '../services/lifecycle/autoscale-app-env.ts'
import { createServices } from '../services/services.ts'
import { releaseFormerLeases } from '../worker/claim/release-former-leases.ts'
import { createWorker } from '../worker/worker.ts'
import { type ContainerEngine, openContainerEngine } from './container-engine.ts'
import { type DataDir, openDataDir } from './data-dir.ts'
import { ParallelDisposal } from './parallel-disposal.ts'
import { assertPortsFree, onPort } from './ports.ts'
import type { ProcessInfo } from './process-registry/process-info.ts'
import { type ProcessRegistration, registerProcess } from './process-registry/process-registry.ts'

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

/** What every role needs. */
interface RoleContext {
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
interface ControlPlaneContext extends RoleContext, ContainerEngine {
  database: Database
  vault: Vault
}

const INGRESS_DRAIN_SECONDS = 5
const ENGINE_PROBE_SECONDS = 5

/** Starts Berth in this process: the database, the installation, then the configured roles. */
export async function startPlatform(config: Config, log: Logger): Promise<Platform> {
  await using undo = new AsyncDisposableStack()
  if (config.BERTH_FAULT_INJECTION) enableFaultInjection(config.BERTH_FAULT_INJECTION)
  const dataDir = openDataDir(config)
  const processRegistration = await registerProcess(dataDir.path, config.BERTH_ROLES, log)
  undo.defer(() => processRegistration.close())
  await assertPortsFree(config, processRegistration)
  const databaseUrl = config.DATABASE_URL ?? (await embedded(dataDir.path, undo))
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

const isIngressOnly = ({ BERTH_ROLES }: Config) => BERTH_ROLES.every((role) => role === 'ingress')

/** An ingress alone must start, and route from its last table, while the database is down: it queries nothing here. */
async function serveIngressAlone(context: RoleContext): Promise<Served> {
  const { port: ingressPort, knowsHost } = await startIngress(context)
  await startHealth(context, knowsHost)
  return { ingressPort, engine: null, installationId: null }
}

async function serveRoles(base: RoleContext, { masterKey, adminToken }: DataDir): Promise<Served> {
  const { config, log, databaseUrl, readiness, undo } = base
  const applied = await migrated(config, databaseUrl)
  if (applied.length > 0) log.info({ applied }, 'Migrated the database')
  const database = createDatabase({ url: databaseUrl, poolSize: config.DATABASE_POOL_SIZE })
  undo.defer(() => database.$disconnect())
  readiness.database = { isRequired: true, check: () => answers(database) }
  const vault = createVault(keyFromHex(masterKey))
  const installationId = await openInstallation(database, vault, config, adminToken)
  const engine = openContainerEngine(config, installationId)
  const context: ControlPlaneContext = { ...base, ...engine, database, vault }
  await releaseLeasesOfDeadWorkers(context)

  const { BERTH_ROLES: roles } = config
  const isWorker = roles.includes('worker')
  const ending = undo.use(new ParallelDisposal())
  const part = (): ControlPlaneContext => ({ ...context, undo: ending.part() })
  if (isWorker) startWorker(part())
  const ingress = roles.includes('ingress') ? await startIngress(part()) : null
  if (roles.includes('api')) await startApi(part())
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

async function embedded(dataDir: string, undo: AsyncDisposableStack): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir })
  undo.defer(() => postgres.stop())
  return postgres.url
}

function startWorker({ readiness, undo, processRegistration, ...rest }: ControlPlaneContext): void {
  const recordScaling: RecordScaling = (change) => autoscaleAppEnv(rest, change)
  const worker = createWorker({ ...rest, recordScaling, id: processRegistration.name })
  worker.start()
  undo.defer(() => worker.stop())
  readiness.worker = { isRequired: true, check: () => ({ ready: worker.isReady(), reason: worker.lastError }) }
  // Not required: without an engine, requests are still recorded, and their operations wait.
  readiness.engine = {
    isRequired: false,
    check: () => ({ ready: worker.engine.reachable === true, reason: worker.engine.reason }),
  }
}

async function startIngress(context: RoleContext): Promise<{ port: number; knowsHost: KnowsHost }> {
  const { config, log, dataDir, databaseUrl, registry, readiness, processRegistration, undo } = context
  const source = new RouteSource({ databaseUrl, dataDirectory: dataDir, log })
  undo.defer(() => source.stop())
  await source.start()
  const ingress = createIngress({ config, source, log, registry })
  await onPort(context, 'INGRESS_PORT', () => ingress.listen())
  undo.defer(() => ingress.close(INGRESS_DRAIN_SECONDS))
  readiness.ingress = {
    isRequired: true,
    check: () => ({ ready: source.isReady(), reason: source.isReady() ? null : 'has no routes yet' }),
  }
  const { port } = ingress.address()
  processRegistration.about.ports.push(port)
  processRegistration.about.ingressUrl = config.BERTH_INGRESS_URL ?? `http://${urlHost(config.HOST)}:${port}`
  return { port, knowsHost: (host) => (source.table?.find(host) ?? null) !== null }
}

async function startApi(context: ControlPlaneContext): Promise<void> {
  const { config, log, databaseUrl, database, vault, registry, readiness, processRegistration, undo } = context
  const wakeups = createWakeups({ url: databaseUrl, log })
  undo.defer(() => wakeups.close())
  const limits = createRateLimits(config)
  const services = createServices({ database, config, vault, wakeups, limits })
  const feed = createEventFeed({ database, wakeups, config, log })
  undo.defer(() => feed.close())
  const graphql = createGraphQL({ services, vault, config, log, feed, limits })
  const api = createServer({ services, config, log, graphql, readiness, limits, registry })
  const listening = await onPort(context, 'PORT', () => listen({ api, host: config.HOST, port: config.PORT }))
  graphql.attach(listening.server)
  undo.defer(async () => void (await Promise.all([listening.close(), graphql.close()])))
  processRegistration.about.ports.push(listening.port)
  processRegistration.about.apiUrl = listening.url
}

async function startHealth(context: RoleContext, knowsHost?: KnowsHost): Promise<void> {
  const { config, readiness, processRegistration, undo } = context
  const port = config.BERTH_HEALTH_PORT
  if (port === 0) return
  const api = createHealthServer(readiness, knowsHost)
  const listening = await onPort(context, 'BERTH_HEALTH_PORT', () => listen({ api, host: config.HOST, port }))
  undo.defer(() => listening.close())
  processRegistration.about.ports.push(port)
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

async function answers(database: Database) {
  await database.$queryRaw`SELECT 1`
  return { ready: true, reason: null }
}

async function nameOf(runtime: ContainerRuntime): Promise<string | null> {
  const info = await runtime.info({ timeoutSeconds: ENGINE_PROBE_SECONDS }).catch(() => null)
  return info ? `${info.name} ${info.version}` : null
}
