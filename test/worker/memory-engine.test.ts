import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RecordScaling } from '../../src/domain/autoscaling.ts'
import { isOpen } from '../../src/domain/operation.ts'
import { taskPart } from '../../src/platform/task-part.ts'
import { autoscaleAppEnv } from '../../src/services/lifecycle/autoscale-app-env.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { createWorker, type Worker } from '../../src/worker/worker.ts'
import { createImage, EMPTY_CONFIG } from '../support/memory-engine/images.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { createWorld, type World } from '../support/world.ts'
import { eventually } from './fixtures.ts'

const IMAGE = 'shop:1'

const shop: Program = (process) => {
  process.print(`Version ${process.environment.BERTH_VERSION}`)
  process.serve((_request, response) => response.end(process.environment.BERTH_VERSION))
}

const machine = new MemoryMachine()
let world: World
let worker: Worker
let hasBrokenSchedule = false

beforeAll(async () => {
  machine.images.add(createImage({ programs: { shop }, config: { ...EMPTY_CONFIG, command: ['shop'] } }), IMAGE)
  world = await createWorld({ settings: { BERTH_DRAIN_SECONDS: '0', BERTH_RECONCILE_SECONDS: '1' }, poolSize: 20 })
  const { id: installationId } = await world.database.installation.findFirstOrThrow()
  const { database, url: databaseUrl, vault, config, log } = world
  const recordScaling: RecordScaling = (change) => autoscaleAppEnv({ database, config, vault }, change)
  const engine = memoryEngine(machine, { installationId })
  worker = createWorker({
    database,
    databaseUrl,
    vault,
    config,
    log,
    recordScaling,
    async beginDueBackups() {
      if (hasBrokenSchedule) throw new Error('a schedule cannot be read')
    },
    beginDueJobRuns: async () => null,
    advanceInstallations: () => advanceInstallations(world),
    deleteExpiredAppEnvs: async () => {},
    ...engine,
  })
  worker.start()
})

afterAll(async () => {
  await worker?.stop()
  for (const container of machine.containers.values()) await container.stop(0)
  await world?.close()
})

const ended = async (operationId: string | null) =>
  eventually(
    () => world.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } }),
    ({ status }) => !isOpen(status),
  )

const row = (id: string) =>
  world.database.appEnv.findUniqueOrThrow({ where: { id }, include: { replicas: { where: { state: 'READY' } } } })

async function answer(appEnvId: string): Promise<string> {
  const [replica] = (await row(appEnvId)).replicas
  return (await fetch(`http://${replica?.address}:${replica?.port}/`)).text()
}

test('an environment is deployed, replaced and stopped on another engine, which the worker knows by its ports', async () => {
  const { appEnvId } = await world.appEnv({ containers: 2 })
  const deploy = async () => (await world.perform(deployImage, { appEnvId, image: IMAGE })).operationId
  expect(await ended(await deploy())).toMatchObject({ status: 'SUCCEEDED', reason: null })
  expect(await row(appEnvId)).toMatchObject({ status: 'RUNNING', health: 'HEALTHY', replicasReady: 2 })
  expect(await answer(appEnvId)).toBe('1')

  expect(await ended(await deploy())).toMatchObject({ status: 'SUCCEEDED' })
  expect(await answer(appEnvId)).toBe('2')
  await eventually(
    async () => [...machine.containers.values()].map(({ options }) => options.rollout.version),
    (versions) => versions.length === 2 && versions.every((version) => version === 2),
  )
  const printed = await eventually(
    () => world.database.logLine.findMany({ where: { message: { startsWith: 'Version' } } }),
    (lines) => lines.length === 4,
  )
  expect(printed.map(({ message }) => message).sort()).toEqual(['Version 1', 'Version 1', 'Version 2', 'Version 2'])

  const { operationId } = await world.perform(stopAppEnv, { appEnvId })
  expect(await ended(operationId)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await row(appEnvId)).toMatchObject({ status: 'STOPPED', replicas: [] })
  expect(machine.containers.size).toBe(0)
})

test('a solution whose program fails is installed in part, and the same request goes on once it works', async () => {
  const { accountId, database } = world
  let works = false
  const registry: Program = (process) => (works ? shop(process) : process.exit(1))
  const image = createImage({ programs: { registry }, config: { ...EMPTY_CONFIG, command: ['registry'] } })
  machine.images.add(image, 'verdaccio/verdaccio:6.0.5')
  const request = { accountId, solutionSlug: 'verdaccio', appName: 'Registry', region: 'local' }
  const refusal = await world.perform(installSolution, request, { waitSeconds: 60 }).catch((error: unknown) => error)
  expect(refusal).toMatchObject({
    code: 'INSTALLATION_INCOMPLETE',
    details: { installation: { components: [{ key: 'app', state: 'FAILED', reason: expect.any(String) }] } },
  })
  const { id: installationId } = await database.solutionInstallation.findFirstOrThrow()
  const apps = await database.app.count()

  works = true
  const again = await world.perform(installSolution, { ...request, installationId }, { waitSeconds: 60 })
  expect(again).toMatchObject({ installationId, operationStatus: 'SUCCEEDED' })
  expect(await database.app.count()).toBe(apps)
  expect(await row(again.appEnvIds[0] ?? '')).toMatchObject({ status: 'RUNNING', health: 'HEALTHY' })
})

test('a periodic task that throws is named, and every other one goes on', async () => {
  const waiting = { timeout: 60_000, interval: 200 }
  const failing = () => taskPart(worker.tasks)
  const names = worker.tasks.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(25)
  hasBrokenSchedule = true
  try {
    await expect
      .poll(() => failing().reason, waiting)
      .toMatch(/^due-backups failed \d+ times in a row: a schedule cannot/)
    expect(failing()).toMatchObject({ ready: false, state: 'TASKS_FAILING' })
    const since = new Date()
    // Those that are not for minutes or hours.
    const often = ['containers', 'ended-runs', 'hosts', 'installations', 'backups', 'expired-app-envs', 'due-scalings']
    const isOn = ({ name, lastEndedAt }: Worker['tasks'][number]) =>
      lastEndedAt && lastEndedAt > since && often.includes(name)
    await expect.poll(() => worker.tasks.filter(isOn).length, waiting).toBe(often.length)
    expect(worker.tasks.filter(({ error }) => error !== null).map(({ name }) => name)).toEqual(['due-backups'])
  } finally {
    hasBrokenSchedule = false
  }
  await expect.poll(failing, waiting).toMatchObject({ ready: true, reason: null })
})
