import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import type { AnyCommand } from '../../src/calls/command.ts'
import type { RecordScaling } from '../../src/domain/autoscaling.ts'
import type { StartupConfig } from '../../src/domain/configuration.ts'
import { isOpen } from '../../src/domain/operation.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { beginDueJobRuns } from '../../src/services/job-schedule/due-job-runs.ts'
import { autoscaleAppEnv } from '../../src/services/lifecycle/autoscale-app-env.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { beginDueBackups } from '../../src/services/lifecycle/due-backups.ts'
import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import type { Operation } from '../../src/storage/database/generated/prisma/client.ts'
import { createWorker, type Worker, type WorkerOptions } from '../../src/worker/worker.ts'
import { createWorld } from '../support/world.ts'
import { type HarbourEngine, onDocker } from './harbour-engine.ts'

/** BROKEN=never: listens and is never ready; BROKEN=exit: dies at once. BROKEN=done: ends at once. The file /tmp/unready ends its readiness. */
const PROGRAM = `
const { createServer } = require('node:http')
if (process.env.BROKEN === 'exit') { console.error('cannot open the safe'); process.exit(3) }
if (process.env.BROKEN === 'done') process.exit(0)
const isReady = () => process.env.BROKEN !== 'never' && !require('node:fs').existsSync('/tmp/unready')
const server = createServer((request, response) => {
  response.writeHead(request.url === '/healthz' && !isReady() ? 503 : 200)
  response.end(process.env.BERTH_VERSION)
})
server.listen(Number(process.env.PORT))
process.on('SIGTERM', () => process.exit(0))
`

const startupConfig = { command: 'node', args: ['-e', PROGRAM], shell: false }

const SETTINGS = {
  BERTH_ENGINE_EVENTS: 'false',
  // Registries of tests are on loopback.
  BERTH_PRIVATE_REGISTRIES: '127.0.0.1',
  BERTH_RECONCILE_SECONDS: '1',
  BERTH_DRAIN_SECONDS: '1',
  BERTH_ROUTE_PROPAGATION_MS: '50',
  BERTH_STOP_GRACE_SECONDS: '2',
  BERTH_READY_TIMEOUT_SECONDS: '120',
  BERTH_LEASE_SECONDS: '5',
}

export type Harbour = Awaited<ReturnType<typeof createHarbour>>

/**
 * An installation with a real database, an engine and workers, in which environments can be deployed. The engine is the
 * machine's own unless another is given.
 */
export async function createHarbour(settings: Record<string, string> = {}, given?: HarbourEngine) {
  const world = await createWorld({ settings: { ...SETTINGS, ...settings }, poolSize: 20 })
  const docker = new Docker()
  const used = given ?? (await onDocker(docker))
  const { image, containersOf, byHand } = used
  const { id: installationId } = await world.database.installation.findFirstOrThrow()
  const engineAt = (dockerHost?: string) => used.open(installationId, dockerHost)
  const engine = engineAt()
  const workers: Worker[] = []

  function startWorker(options: Partial<WorkerOptions> = {}): Worker {
    const { database, url: databaseUrl, vault, config, log } = world
    const recordScaling: RecordScaling = (change) => autoscaleAppEnv({ database, config, vault }, change)
    const tools = { database, config, vault, log }
    const due = {
      beginDueBackups: () => beginDueBackups(tools),
      beginDueJobRuns: () => beginDueJobRuns(tools),
      advanceInstallations: () => advanceInstallations(world),
      deleteExpiredAppEnvs: async () => {},
    }
    const worker = createWorker({
      database,
      databaseUrl,
      ...engine,
      vault,
      config,
      log,
      recordScaling,
      ...due,
      ...options,
    })
    workers.push(worker)
    worker.start()
    return worker
  }

  async function stopWorkers(): Promise<void> {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  }

  async function ask(command: AnyCommand, appEnvId: string, fields: Record<string, unknown> = {}): Promise<string> {
    const { operationId } = await world.perform(command, { appEnvId, ...fields })
    return operationId
  }

  return {
    ...world,
    image,
    docker,
    ...engine,
    engineAt,
    startWorker,
    stopWorkers,
    ask,
    containersOf,
    byHand,
    ...observers(world.database),
    /** An environment that runs the sample program; nothing is deployed yet. */
    async sample(fields: Record<string, unknown> = {}): Promise<string> {
      const app = { port: 3000, healthCheckPath: '/healthz' }
      const { appEnvId } = await world.appEnv({ app, startupConfig, ...fields })
      return appEnvId
    },
    deployment: (appEnvId: string, reference = image) => ask(deployImage, appEnvId, { image: reference }),
    /** What the next version will be like; nothing runs it yet. */
    configure: (appEnvId: string, variables: Record<string, string>, program?: StartupConfig) =>
      world.perform(updateAppEnv, {
        appEnvId,
        ...(program && { startupConfig: program }),
        envVars: Object.entries(variables).map(([name, value]) => ({ name, value })),
      }),
    async close() {
      await stopWorkers()
      await used.cleanUp(installationId)
      await world.close()
    },
  }
}

function observers(database: Awaited<ReturnType<typeof createWorld>>['database']) {
  const operation = (id: string) => database.operation.findUniqueOrThrow({ where: { id } })
  return {
    operation,
    appEnvRow: (id: string) =>
      database.appEnv.findUniqueOrThrow({ where: { id }, include: { replicas: { orderBy: { name: 'asc' } } } }),
    ended: (id: string): Promise<Operation> =>
      eventually(
        () => operation(id),
        (value) => !isOpen(value.status),
      ),
    eventsOf: async (appEnvId: string) => {
      const events = await database.event.findMany({ where: { appEnvId }, orderBy: { sequence: 'asc' } })
      return events.map((event) => ({ type: event.type, ...(event.payload as Record<string, unknown>) }))
    },
  }
}

const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 100

/** For reads that run a program in a container: each costs as much as some fifty queries. */
export const BY_PROGRAM = { maxPauseMs: 1_000 }

/** Reads until the condition holds; fails with the last value. Reads less often over time, to leave others the processor. */
export async function eventually<T>(
  read: () => Promise<T>,
  holds: (value: T) => boolean,
  seconds = 90,
  { maxPauseMs } = { maxPauseMs: MAX_PAUSE_MS },
): Promise<T> {
  const until = Date.now() + seconds * 1000
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const value = await read()
    if (holds(value)) return value
    if (Date.now() > until)
      throw new Error(`Not within ${seconds} s; last seen: ${JSON.stringify(value, bigintAsText)}`)
    await sleep(pauseMs)
  }
}

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
