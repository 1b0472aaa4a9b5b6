import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { RecordScaling } from '../../src/domain/autoscaling.ts'
import type { ContainerEngine } from '../../src/platform/container-engine.ts'
import { autoscaleAppEnv } from '../../src/services/lifecycle/autoscale-app-env.ts'
import { createWorker } from '../../src/worker/worker.ts'
import type { TestDatabase } from '../support/database.ts'
import { serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { PretendImages, PretendRuntime } from './pretend-engine.ts'
import { watchActiveContents } from './witnesses.ts'

/** The real services behind both real APIs, two real workers, and an engine. */
export type Stage = Awaited<ReturnType<typeof setStage>>

export interface Engine {
  ports: ContainerEngine
  /** The images that the model calls by these names. */
  images: Readonly<Record<string, string>>
  /** Of every environment. */
  appEnv: Record<string, unknown>
  app: Record<string, unknown>
  close(): Promise<void>
}

export async function setStage(openEngine: (world: World) => Promise<Engine>, held?: TestDatabase) {
  const world = await createWorld({
    ...(held ? { held } : { poolSize: 24 }),
    settings: {
      BERTH_RECONCILE_SECONDS: '2',
      BERTH_DRAIN_SECONDS: '0',
      BERTH_STOP_GRACE_SECONDS: '1',
      BERTH_WORKER_CONCURRENCY: '60',
      BERTH_OPERATION_RATE_LIMIT: '1000000',
      BERTH_ENGINE_EVENTS: 'false',
    },
  })
  await watchActiveContents(world.database)
  const engine = await openEngine(world)
  const served = serveWorld(world)
  const { database, url: databaseUrl, vault, config, log } = world
  const recordScaling: RecordScaling = (change) => autoscaleAppEnv({ database, config, vault }, change)
  const context = {
    database,
    databaseUrl,
    ...engine.ports,
    vault,
    config,
    log,
    recordScaling,
    beginDueBackups: async () => {},
    beginDueJobRuns: async () => null,
    advanceInstallations: async () => {},
    deleteExpiredAppEnvs: async () => {},
  }
  const workers = [1, 2].map(() => createWorker(context))
  for (const worker of workers) worker.start()
  return {
    world,
    engine,
    database,
    fetch: (path: string, init: RequestInit) => served.app.request(path, init),
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()))
      await served.close()
      await engine.close()
      await world.close()
    },
  }
}

/** An engine in memory, whose replicas are all one local server. */
export async function pretendedEngine(): Promise<Engine> {
  const server = createServer((socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ports: {
      runtime: new PretendRuntime((server.address() as AddressInfo).port),
      imageBuilder: new PretendImages(),
    },
    images: { sound: 'sound:1', other: 'other:1', broken: 'broken:1' },
    app: {},
    appEnv: {},
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}
