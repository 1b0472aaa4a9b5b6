import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { failEngine, killEngineInBuild } from './engine-faults.ts'
import { fillDisk } from './full-disks.ts'
import { openEngineGate } from './harness/engine-gate.ts'
import { privateEngineProblem, startPrivateEngine } from './harness/private-engine.ts'
import { mountSmallDisk } from './harness/small-disk.ts'
import { startTestCluster } from './harness/test-cluster.ts'

const SEED = 20_261_124
const problem = privateEngineProblem()
if (problem) console.log(`Engines are not killed and disks not filled here: ${problem}`)

test.skipIf(problem)('operations end as they should whatever befalls the engine', { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'be-gate-'))
  await using engine = await startPrivateEngine()
  await using gate = await openEngineGate(join(folder, 's'), engine.socketPath)
  const settings = { DOCKER_HOST: gate.host, BERTH_ENGINE_TIMEOUT_SECONDS: '5' }
  const cluster = await startTestCluster({
    docker: engine.docker,
    settings,
    postgresTemplate: inject('postgresTemplate'),
  })
  try {
    const { faults } = await failEngine({ cluster, engine, gate }, { seed: SEED, faults: 4 }, console.log)
    expect(faults).toEqual({ killed: 1, mute: 1, 'half-open': 1, cut: 1 })
    await killEngineInBuild({ cluster, engine, gate })
  } finally {
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test.skipIf(problem)(
  'a full disk is reported as such, kills no process, and is recovered from',
  { timeout: 240_000 },
  async () => {
    using disk = mountSmallDisk(256)
    const cluster = await startTestCluster({
      parent: disk.folder,
      isDatabaseRevived: true,
      postgresTemplate: inject('postgresTemplate'),
    })
    try {
      const { refused, requests } = await fillDisk(cluster, disk)
      expect(refused).toBeGreaterThan(0)
      expect(requests).toBeGreaterThan(0)
    } finally {
      await cluster.close()
    }
  },
)
