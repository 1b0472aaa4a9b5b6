import type { Config } from '../../src/config/config.ts'
import { autoscaleAppEnv } from '../../src/services/lifecycle/autoscale-app-env.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import type { AppEnvLease } from '../../src/worker/claim/app-env-lease.ts'
import { BuildSlots } from '../../src/worker/claim/build-slots.ts'
import { claim, claimForRequests, release } from '../../src/worker/claim/lease-table.ts'
import type { WorkerContext } from '../../src/worker/context/worker-context.ts'
import { EngineHealth } from '../../src/worker/engine/engine-health.ts'
import { Collector } from '../../src/worker/logs/collector.ts'
import { DiskQuota } from '../../src/worker/probes/disk-quota.ts'
import { NetworkRepairs } from '../../src/worker/probes/network-repairs.ts'
import { ProbeHistory } from '../../src/worker/probes/probe-history.ts'
import { processEnvironment } from '../../src/worker/process-environment.ts'
import { INSTALLATION_ENGINE } from '../../src/worker/scope/engine-scope.ts'
import { createImage, EMPTY_CONFIG } from '../support/memory-engine/images.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { createWorld, type World } from '../support/world.ts'

export const IMAGE = 'function:1'
export const LEASE_SECONDS = 60

export type ScalingWorld = Awaited<ReturnType<typeof createScalingWorld>>

/** Functions on an engine in memory. No worker runs: a test takes each step of one when it wants to. */
export async function createScalingWorld(program: Program, settings: Record<string, string> = {}) {
  const machine = new MemoryMachine()
  machine.images.add(createImage({ programs: { program }, config: { ...EMPTY_CONFIG, command: ['program'] } }), IMAGE)
  const world = await createWorld({ settings: { BERTH_DRAIN_SECONDS: '0', ...settings } })
  const { database } = world
  const context = await workerOn(machine, world)

  async function carryOut(lease: AppEnvLease | null, settings: Partial<Config> = {}): Promise<void> {
    if (!lease) throw new Error('Nothing could be claimed')
    const result = await processEnvironment({ ...context, config: { ...context.config, ...settings } }, lease)
    lease.close()
    await release(database, lease, result)
  }
  const claimForScaling = (appEnvId: string) => claimForRequests(database, appEnvId, 'test', LEASE_SECONDS)
  const scale = async (appEnvId: string, settings: Partial<Config> = {}) =>
    carryOut(await claimForScaling(appEnvId), settings)
  /** As if nobody had asked for an hour: from now on its container drains. */
  async function beginToRest(appEnvId: string): Promise<void> {
    await database.$executeRaw`DELETE FROM ingress_session`
    await database.$executeRaw`
      UPDATE request_scaling SET depth_since = now() - interval '1 hour' WHERE app_env_id = ${appEnvId}`
    await scale(appEnvId)
  }
  const row = (id: string) =>
    database.appEnv.findUniqueOrThrow({ where: { id }, include: { replicas: true, requestScaling: true } })

  async function deploy(appEnvId: string): Promise<void> {
    const { operationId } = await world.perform(deployImage, { appEnvId, image: IMAGE })
    await carryOut(await claim(database, 'operations', 'test', LEASE_SECONDS))
    const { status, message } = await database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } })
    if (status !== 'SUCCEEDED') throw new Error(`It was not deployed: ${message}`)
  }

  return {
    ...world,
    context,
    carryOut,
    claimForScaling,
    scale,
    row,
    deploy,
    async reconcile(appEnvId: string) {
      await database.$executeRaw`
        UPDATE app_env SET due_at = now() + CASE WHEN id = ${appEnvId} THEN interval '0' ELSE interval '1 day' END`
      await carryOut(await claim(database, 'reconciles', 'test', LEASE_SECONDS))
    },
    /** An environment whose function is deployed and awake. */
    async functionEnv(fields: Record<string, unknown> = {}): Promise<string> {
      const { appEnvId } = await world.appEnv({ app: { dockerPreset: 'FUNCTION', port: 3000 }, ...fields })
      await deploy(appEnvId)
      return appEnvId
    },
    beginToRest,
    async putToSleep(appEnvId: string): Promise<void> {
      await beginToRest(appEnvId)
      await scale(appEnvId)
    },
    /** As an ingress reports requests that it holds. */
    async ask(appEnvId: string, waiting = 1): Promise<void> {
      await database.$executeRaw`INSERT INTO ingress_session (id, reported_at) VALUES ('test', now())
        ON CONFLICT (id) DO UPDATE SET reported_at = now()`
      await database.$executeRaw`
        INSERT INTO request_load (ingress_id, app_env_id, in_flight, waiting, peak, by_replica, revision, active_at, reported_at)
        VALUES ('test', ${appEnvId}, 0, ${waiting}, ${waiting}, '{}', 1000, now(), now())`
    },
    containersOf: (appEnvId: string) =>
      [...machine.containers.values()].filter(({ options }) => options.rollout.appEnvId === appEnvId),
    async close() {
      for (const container of machine.containers.values()) await container.stop(0)
      await world.close()
    },
  }
}

async function workerOn(machine: MemoryMachine, world: World): Promise<WorkerContext> {
  const { database, vault, config, log } = world
  const { id: installationId } = await database.installation.findFirstOrThrow()
  const engine = memoryEngine(machine, { installationId })
  const engineHealth = new EngineHealth(engine.runtime, log, async () => {})
  engineHealth.reachable = true
  return {
    database,
    vault,
    config,
    log,
    ...engine,
    scope: INSTALLATION_ENGINE,
    engineHealth,
    collector: new Collector({ ...engine, database, config, log, owner: 'test' }),
    probes: new ProbeHistory(),
    repairs: new NetworkRepairs(),
    disk: new DiskQuota(0),
    builds: new BuildSlots(1),
    recordScaling: (change) => autoscaleAppEnv({ database, config, vault }, change),
    beginDueBackups: async () => {},
    beginDueJobRuns: async () => null,
    advanceInstallations: async () => {},
    deleteExpiredAppEnvs: async () => {},
  }
}
