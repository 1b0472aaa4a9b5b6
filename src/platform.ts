import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from './config.ts'
import { type DataDir, openDataDir } from './data-dir.ts'
import { createDatabase, type Database } from './database/client.ts'
import { startEmbeddedPostgres } from './database/embedded.ts'
import { migrate } from './database/migrate.ts'
import { createEventFeed } from './events/feed.ts'
import { createWakeups } from './events/wakeups.ts'
import { createGraphQL } from './graphql/graphql.ts'
import { createIngress } from './ingress/ingress.ts'
import { RouteSource } from './ingress/route-source.ts'
import { createEngineRuntime } from './runtime/engine/engine-runtime.ts'
import type { Runtime } from './runtime/runtime.ts'
import { keyFromHex } from './secrets/keys.ts'
import { createVault, type Vault } from './secrets/vault.ts'
import type { Readiness } from './server/health.ts'
import { createHealthServer } from './server/health-server.ts'
import { listen } from './server/listen.ts'
import { createRateLimits } from './server/rate-limits.ts'
import { createServer } from './server.ts'
import { openInstallation } from './services/installation.ts'
import { createServices } from './services/services.ts'
import { createWorker } from './worker/worker.ts'

export interface Platform {
  /** Null where this process does not play the role. */
  apiUrl: string | null
  ingressUrl: string | null
  /** Name and version of the container engine; null when none answers. */
  engine: string | null
  /** Marks what this Berth owns on the engine; null in a process that is only an ingress. */
  installationId: string | null
  adminToken: string
  adminTokenFile: string | null
  /** Stops the roles in order. Containers are left alone: the next start adopts them. */
  stop(): Promise<void>
}

/** What every role is built from. */
interface Base {
  config: Config
  log: Logger
  dataDir: string
  databaseUrl: string
  registry: Registry
  readiness: Record<string, Readiness[string]>
  /** How to undo what has been started, in reverse order. */
  undo: AsyncDisposableStack
}

/** What the api and the worker are built from besides. */
interface Ground extends Base {
  database: Database
  vault: Vault
  runtime: Runtime
}

const INGRESS_DRAIN_SECONDS = 5
const ENGINE_PROBE_SECONDS = 5

/** Brings a Berth up in this process: database, installation, then the roles that the configuration names. */
export async function startPlatform(config: Config, log: Logger): Promise<Platform> {
  await using undo = new AsyncDisposableStack()
  const dataDir = openDataDir(config)
  const databaseUrl = config.DATABASE_URL ?? (await embedded(dataDir.path, undo))
  const base: Base = { config, log, dataDir: dataDir.path, databaseUrl, registry: new Registry(), readiness: {}, undo }
  const served = isIngressOnly(config) ? await serveIngressAlone(base) : await serveRoles(base, dataDir)
  const running = undo.move()
  const { adminToken, adminTokenFile } = dataDir
  return { ...served, adminToken, adminTokenFile, stop: () => running.disposeAsync() }
}

type Served = Pick<Platform, 'apiUrl' | 'ingressUrl' | 'engine' | 'installationId'>

const isIngressOnly = ({ BERTH_ROLES }: Config) => BERTH_ROLES.every((role) => role === 'ingress')

/** Routes from its last table even when it is started while the database is away, and so asks it for nothing. */
async function serveIngressAlone(base: Base): Promise<Served> {
  const ingressUrl = await startIngress(base)
  await startHealth(base)
  return { apiUrl: null, ingressUrl, engine: null, installationId: null }
}

async function serveRoles(base: Base, { masterKey, adminToken }: DataDir): Promise<Served> {
  const { config, log, databaseUrl, readiness, undo } = base
  const applied = await migrate(databaseUrl)
  if (applied.length > 0) log.info({ applied }, 'Migrated the database')
  const database = createDatabase({ url: databaseUrl, poolSize: config.DATABASE_POOL_SIZE })
  undo.defer(() => database.$disconnect())
  readiness.database = { isRequired: true, check: () => answers(database) }
  const vault = createVault(keyFromHex(masterKey))
  const installationId = await openInstallation(database, vault, config, adminToken)
  const runtime = engineFor(config, installationId)
  const ground: Ground = { ...base, database, vault, runtime }

  const { BERTH_ROLES: roles } = config
  if (roles.includes('worker')) startWorker(ground)
  const ingressUrl = roles.includes('ingress') ? await startIngress(ground) : null
  const apiUrl = roles.includes('api') ? await startApi(ground) : null
  if (!apiUrl) await startHealth(ground)
  return { apiUrl, ingressUrl, engine: await nameOf(runtime), installationId }
}

async function embedded(dataDir: string, undo: AsyncDisposableStack): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir })
  undo.defer(() => postgres.stop())
  return postgres.url
}

function engineFor(config: Config, installationId: string): Runtime {
  return createEngineRuntime({
    ...(config.DOCKER_HOST ? { dockerHost: config.DOCKER_HOST } : {}),
    installationId,
    callTimeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS,
    pullTimeoutSeconds: config.BERTH_PULL_TIMEOUT_SECONDS,
    reach: config.BERTH_REACH,
  })
}

function startWorker({ readiness, undo, ...tools }: Ground): void {
  const worker = createWorker(tools)
  worker.start()
  undo.defer(() => worker.stop())
  readiness.worker = { isRequired: true, check: () => ({ ready: worker.isReady(), reason: worker.lastError }) }
  // Without an engine requests are still recorded, and wait: that is no reason to turn callers away.
  readiness.engine = {
    isRequired: false,
    check: () => ({ ready: worker.engine.reachable === true, reason: worker.engine.reason }),
  }
}

async function startIngress({ config, log, dataDir, databaseUrl, registry, readiness, undo }: Base): Promise<string> {
  const source = new RouteSource({ databaseUrl, dataDirectory: dataDir, log })
  undo.defer(() => source.stop())
  await source.start()
  const ingress = createIngress({ config, source, log, registry })
  await asking('INGRESS_PORT', config.INGRESS_PORT, () => ingress.listen())
  undo.defer(() => ingress.close(INGRESS_DRAIN_SECONDS))
  readiness.ingress = {
    isRequired: true,
    check: () => ({ ready: source.isReady(), reason: source.isReady() ? null : 'has no routes yet' }),
  }
  return config.BERTH_INGRESS_URL ?? `http://${urlHost(config.HOST)}:${ingress.address().port}`
}

async function startApi({
  config,
  log,
  databaseUrl,
  database,
  vault,
  registry,
  readiness,
  undo,
}: Ground): Promise<string> {
  const wakeups = createWakeups({ url: databaseUrl, log })
  undo.defer(() => wakeups.close())
  const limits = createRateLimits(config)
  const services = createServices({ database, config, vault, wakeups, limits })
  const feed = createEventFeed({ database, wakeups, config, log })
  undo.defer(() => feed.close())
  const graphql = createGraphQL({ services, vault, config, log, feed, limits })
  const api = createServer({ services, config, log, graphql, readiness, limits, registry })
  const listening = await asking('PORT', config.PORT, () => listen({ api, host: config.HOST, port: config.PORT }))
  undo.defer(() => listening.close())
  graphql.attach(listening.server)
  undo.defer(() => graphql.close())
  return listening.url
}

async function startHealth({ config, readiness, undo }: Base): Promise<void> {
  const port = config.BERTH_HEALTH_PORT
  if (port === 0) return
  const api = createHealthServer(readiness)
  const listening = await asking('BERTH_HEALTH_PORT', port, () => listen({ api, host: config.HOST, port }))
  undo.defer(() => listening.close())
}

/** A port that is taken is the commonest reason not to start: say which setting moves it. */
async function asking<T>(setting: string, port: number, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${port} is taken by another program. Set ${setting} to a free one, such as ${setting}=${port + 1}.`,
    )
  }
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

async function answers(database: Database) {
  await database.$queryRaw`SELECT 1`
  return { ready: true, reason: null }
}

async function nameOf(runtime: Runtime): Promise<string | null> {
  const info = await runtime.info({ timeoutSeconds: ENGINE_PROBE_SECONDS }).catch(() => null)
  return info ? `${info.name} ${info.version}` : null
}
