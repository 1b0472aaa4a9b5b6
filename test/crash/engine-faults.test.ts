import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { failEngine, killEngineInBuild, type Setting } from './engine-faults.ts'
import { fillDisk } from './full-disks.ts'
import { openEngineGate } from './harness/engine-gate.ts'
import { privateEngineProblem, startPrivateEngine } from './harness/private-engine.ts'
import { mountSmallDisk, type SmallDisk } from './harness/small-disk.ts'
import { startTestCluster } from './harness/test-cluster.ts'

const SEED = 20_261_124
const problem = privateEngineProblem()
if (problem) console.log(`Engines are not killed and disks not filled here: ${problem}`)

const undo = new AsyncDisposableStack()
/** A cluster on an engine of its own, all of whose files are on a small disk. */
let setting: Setting
let disk: SmallDisk

beforeAll(async () => {
  if (problem) return
  const folder = mkdtempSync(join(tmpdir(), 'be-gate-'))
  undo.defer(() => rmSync(folder, { recursive: true, force: true }))
  disk = undo.use(mountSmallDisk(256))
  const engine = undo.use(await startPrivateEngine())
  const gate = undo.use(await openEngineGate(join(folder, 's'), engine.socketPath))
  const cluster = await startTestCluster({
    docker: engine.docker,
    settings: { DOCKER_HOST: gate.host, BERTH_ENGINE_TIMEOUT_SECONDS: '5' },
    parent: disk.folder,
    isDatabaseRevived: true,
    postgresTemplate: inject('postgresTemplate'),
  })
  undo.defer(() => cluster.close())
  setting = { cluster, engine, gate }
})

afterAll(() => undo.disposeAsync())

test.skipIf(problem)('operations end as they should whatever befalls the engine', { timeout: 240_000 }, async () => {
  // It is killed in the middle of a build, which has the most to lose.
  const kill = () => killEngineInBuild(setting)
  const { faults } = await failEngine(setting, { seed: SEED, faults: 4, kill }, console.log)
  expect(faults).toEqual({ killed: 1, mute: 1, 'half-open': 1, cut: 1 })
})

test.skipIf(problem)(
  'a full disk is reported as such, kills no process, and is recovered from',
  { timeout: 240_000 },
  async () => {
    const { refused, requests } = await fillDisk(setting.cluster, disk)
    expect(refused).toBeGreaterThan(0)
    expect(requests).toBeGreaterThan(0)
  },
)
