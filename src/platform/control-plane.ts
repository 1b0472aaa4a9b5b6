import { MAX_LEASE_SECONDS } from '../config/settings.ts'
import { type ContainerRuntime, EngineUnsupported } from '../engines/runtime/container-runtime.ts'
import { openInstallation } from '../services/installation.ts'
import { createDatabase, type Database, tableNames } from '../storage/database/client.ts'
import { DatabaseProbe } from '../storage/database/database-probe.ts'
import { explainRefusal } from '../storage/database/explain-refusal.ts'
import { migrate } from '../storage/database/migrate.ts'
import { findMissingRights, type MissingRights, ownerRights } from '../storage/database/rights.ts'
import { createVault } from '../storage/secrets/vault.ts'
import { findLeaseAhead } from '../worker/claim/leased-table.ts'
import { releaseFormerLeases } from '../worker/claim/release-former-leases.ts'
import type { RegionEngineAddress } from '../worker/region-engines.ts'
import type { ContainerEngine } from './container-engine.ts'
import type { DataDir } from './data-dir.ts'
import { diskReadiness } from './disk-readiness.ts'
import { openMasterKey, openVault } from './master-key.ts'
import type { ControlPlaneContext, RoleContext, Served } from './role-context.ts'
import { watchRights } from './watch-rights.ts'

const ENGINE_PROBE_SECONDS = 5

/** Starts the roles of this process on a database that it migrates first: api, worker, and the ingress beside them. */
export async function serveControlPlane(base: RoleContext, { adminToken }: DataDir): Promise<Served> {
  const { config, log, dataDir, databaseUrl, readiness, undo } = base
  const applied = await migrated(base)
  if (applied.length > 0) log.info({ applied }, 'Migrated the database')
  const database = createDatabase({ url: databaseUrl, poolSize: config.DATABASE_POOL_SIZE })
  undo.defer(() => database.$disconnect())
  const probe = new DatabaseProbe(database)
  readiness.database = { isRequired: true, check: () => probe.state() }
  readiness.clock = { isRequired: false, check: () => probe.clock() }
  readiness.dataDisk = { isRequired: false, check: () => diskReadiness(dataDir) }
  watchRights(base, () => findOwnMissingRights(database))
  const masterKey = await openMasterKey(config, dataDir, database)
  const installationId = await openInstallation(database, createVault(masterKey), config, adminToken)
  const vault = await openVault(database, masterKey)
  base.link?.reportDatabase()
  const context: ControlPlaneContext = { ...base, database, vault }
  await releaseLeasesOfDeadWorkers(context)

  const { BERTH_ROLES: roles } = config
  const ending = undo.use(new ParallelDisposal())
  const part = (): ControlPlaneContext => ({ ...context, undo: ending.part() })
  // Each role loads its modules only where it is played: a process that died is back sooner, and smaller.
  const engine = roles.includes('worker') ? await serveWorker(part, installationId) : null
  const ingress = roles.includes('ingress')
    ? await (await import('./roles/start-ingress.ts')).startIngress(part())
    : null
  if (roles.includes('api')) {
    // Port 0 let the ingress choose; the addresses that the API shows have the chosen one.
    const shown = ingress ? { ...config, INGRESS_PORT: ingress.port } : config
    await (await import('./roles/start-api.ts')).startApi({ ...part(), config: shown })
  }
  // The process of the ingress has the internal listener, because it knows the hosts.
  if (!base.link?.isElsewhere('ingress', config))
    await (await import('./roles/start-health.ts')).startHealth(context, ingress?.knowsHost)
  const answering = engine ? await probeEngine(engine.runtime) : { engine: null, engineProblem: null }
  return { ingressPort: ingress?.port ?? null, ...answering, installationId }
}

async function serveWorker(part: () => ControlPlaneContext, installationId: string): Promise<ContainerEngine> {
  // Before anything can start a container.
  await (await import('./roles/start-host-firewall.ts')).startHostFirewall(part())
  const { openContainerEngine } = await import('./container-engine.ts')
  const { startWorker } = await import('./roles/start-worker.ts')
  const context = part()
  const engine = openContainerEngine(context.config, installationId)
  const openRegionEngine = (region: RegionEngineAddress) => openContainerEngine(context.config, installationId, region)
  await startWorker({ ...context, ...engine, openRegionEngine })
  return engine
}

async function migrated({ config, databaseUrl }: RoleContext): Promise<string[]> {
  try {
    return await migrate(databaseUrl)
  } catch (error) {
    throw (config.DATABASE_URL && explainRefusal(error, databaseUrl)) || error
  }
}

/** Of the role that this process is logged in as: it may not be the owner that made the tables. */
const findOwnMissingRights = (database: Database): Promise<MissingRights | null> =>
  findMissingRights((sql, values) => database.$queryRawUnsafe(sql, ...values), ownerRights(tableNames(database)))

/** Ends the leases of killed processes, so that their work resumes now instead of when the leases expire. */
async function releaseLeasesOfDeadWorkers({ database, processRegistration, log }: ControlPlaneContext): Promise<void> {
  try {
    const { deadWorkers } = await processRegistration.listProcesses()
    const ended = await releaseFormerLeases(database, deadWorkers)
    processRegistration.removeDead(deadWorkers)
    if (ended > 0) log.info({ ended }, 'Released the leases of workers that died')
    const aheadSeconds = await findLeaseAhead(database, MAX_LEASE_SECONDS)
    if (aheadSeconds !== null)
      log.warn(
        { aheadSeconds },
        'The clock of the database was set back while workers held leases: what they held waits until these expire. Set the clock right to end the wait',
      )
  } catch (error) {
    log.warn({ err: error }, 'Releasing the leases of dead workers failed; the leases expire on their own')
  }
}

async function probeEngine(runtime: ContainerRuntime): Promise<Pick<Served, 'engine' | 'engineProblem'>> {
  try {
    const { name, version } = await runtime.info({ timeoutSeconds: ENGINE_PROBE_SECONDS })
    return { engine: `${name} ${version}`, engineProblem: null }
  } catch (error) {
    return { engine: null, engineProblem: error instanceof EngineUnsupported ? error.message : null }
  }
}

/** Disposes parts in parallel, each in its own order, so that their timeouts do not add up. */
export class ParallelDisposal implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack[] = []

  /** What one part has to undo. */
  part(): AsyncDisposableStack {
    const part = new AsyncDisposableStack()
    this.#parts.push(part)
    return part
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ends = await Promise.allSettled(this.#parts.map((part) => part.disposeAsync()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}
