import type { Logger } from 'pino'
import { Gauge, Registry } from 'prom-client'
import { type Readiness, readParts } from '../api/server/health.ts'
import type { Config } from '../config/config.ts'
import { enableFaultInjection } from '../fault-injection/failpoint.ts'
import { isIngressDivided, isIngressOnly, openDataDir } from './data-dir.ts'
import { assertPortsFree } from './ports.ts'
import type { ProcessInfo } from './process-registry/process-info.ts'
import { registerProcess } from './process-registry/process-registry.ts'
import type { RoleContext, Served } from './role-context.ts'
import { answerSibling, SharedRegistry, siblingPart } from './sibling-parts.ts'
import type { SupervisorLink } from './supervisor-link.ts'

export interface Platform extends Served {
  /** Null when this process does not have the role. */
  apiUrl: string | null
  ingressUrl: string | null
  adminToken: string
  adminTokenFile: string | null
  isAdminTokenNew: boolean
  /** Other processes on the same data directory, except those under the same supervisor. */
  otherProcesses: readonly ProcessInfo[]
  /** Stops the roles in order. Containers keep running: the next start adopts them. */
  stop(): Promise<void>
}

/** Starts Berth in this process: the database, the installation, then the configured roles. */
export async function startPlatform(
  config: Config,
  log: Logger,
  link: SupervisorLink | null = null,
): Promise<Platform> {
  await using undo = new AsyncDisposableStack()
  if (config.BERTH_FAULT_INJECTION) enableFaultInjection(config.BERTH_FAULT_INJECTION)
  const dataDir = openDataDir(config)
  const processRegistration = await registerProcess(dataDir.path, config.BERTH_ROLES, log, link?.pid)
  undo.defer(() => processRegistration.close())
  await assertPortsFree(link?.isFirst ? link.installation : config, processRegistration)
  const databaseUrl = config.DATABASE_URL ?? (await embedded(dataDir.path, { config, log, link, undo }))
  const hasOtherIngress = link?.isElsewhere('ingress', config) ?? false
  const registry = link && hasOtherIngress ? new SharedRegistry(link) : await ownRegistry(config)
  const shared = { config, log, dataDir: dataDir.path, databaseUrl, processRegistration, undo, link }
  const context: RoleContext = { ...shared, registry, readiness: {} }
  if (link && hasOtherIngress) reportIngress(link, context)
  // Each loads only its own modules: an ingress has no use for the API's and the worker's.
  const served = isIngressOnly(config)
    ? await (await import('./serve-ingress.ts')).serveIngress(context)
    : await (await import('./control-plane.ts')).serveControlPlane(context, dataDir)
  if (link) answerSibling(link, context)
  // The parts of an ingress are among those of the process that asks it.
  if (!link || !isIngressOnly(config)) registerPartMetrics(registry, context.readiness)
  const { living } = await processRegistration.listProcesses()
  const otherProcesses = living.filter(({ pid }) => pid !== processRegistration.about.pid)
  const running = undo.move()
  const { adminToken, adminTokenFile, isAdminTokenNew } = dataDir
  const stop = () => {
    processRegistration.about.isStopping = true
    return running.disposeAsync()
  }
  const { apiUrl, ingressUrl } = processRegistration.about
  return { ...served, apiUrl, ingressUrl, adminToken, adminTokenFile, isAdminTokenNew, otherProcesses, stop }
}

/** Apps answer without its reports and all of its rights, but what sleeps is not woken. */
function reportIngress(link: SupervisorLink, { readiness }: RoleContext): void {
  readiness.ingress = siblingPart(link, 'ingress', true)
  readiness.ingressRights = siblingPart(link, 'rights', false)
  readiness.requestReports = siblingPart(link, 'requestReports', false)
}

async function ownRegistry(config: Config): Promise<Registry> {
  if (!isIngressDivided(config)) return new Registry()
  const { ProcessesRegistry } = await import('./ingress-processes/processes-registry.ts')
  return new ProcessesRegistry()
}

/** Where another process under the same supervisor starts the database, this one only uses it. */
async function embedded(
  dataDir: string,
  { config, log, link, undo }: Pick<RoleContext, 'config' | 'log' | 'link' | 'undo'>,
): Promise<string> {
  const isStartedElsewhere =
    isIngressOnly(config) && (link?.isElsewhere('api', config) || link?.isElsewhere('worker', config))
  const postgres = isStartedElsewhere
    ? (await import('../storage/database/attached.ts')).attachEmbeddedPostgres(dataDir)
    : await (await import('./own-database.ts')).startOwnDatabase(dataDir, log)
  undo.defer(() => postgres.stop())
  // An ingress alone gets no more of the database than its routes.
  return isIngressOnly(config) ? postgres.ingressUrl : postgres.url
}

/** Shows what `/readyz` says, for alerts: whether each part is ready, and what is wrong with one. */
function registerPartMetrics(registry: Registry, readiness: Readiness): void {
  const ready = new Gauge({
    name: 'berth_part_ready',
    help: 'Whether a part of Berth is ready, as in /readyz: 1 or 0.',
    labelNames: ['part'],
    registers: [registry],
    async collect() {
      const { parts } = await readParts(readiness)
      ready.reset()
      problem.reset()
      for (const [part, { ready: isReady, state }] of Object.entries(parts)) {
        ready.set({ part }, isReady ? 1 : 0)
        if (state !== 'READY') problem.set({ part, state }, 1)
      }
    },
  })
  // Its samples are those that the other has read.
  const problem = new Gauge({
    name: 'berth_part_problem',
    help: 'What is wrong with a part of Berth, as in /readyz; none for a part with which nothing is.',
    labelNames: ['part', 'state'],
    registers: [registry],
    async collect() {
      await ready.get()
    },
  })
}
