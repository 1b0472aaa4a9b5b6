// npm run prove -- engine [--seed 7 --faults 60]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isRegistryInstalled } from '../support/docker-registry.ts'
import { ensureTestImage } from '../support/test-image.ts'
import { failEngine } from './engine-faults.ts'
import { openEngineGate } from './harness/engine-gate.ts'
import { privateEngineProblem, startPrivateEngine } from './harness/private-engine.ts'
import { startSlowRegistry } from './harness/slow-registry.ts'
import { startTestCluster } from './harness/test-cluster.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'string', default: '60' },
  },
})
const problem = privateEngineProblem()
if (problem) throw new Error(`This needs an engine of its own, and ${problem}`)
const log = (line: string) => console.log(line)
log(`seed ${values.seed}`)
const folder = mkdtempSync(join(tmpdir(), 'be-gate-'))
await using engine = await startPrivateEngine()
await using gate = await openEngineGate(join(folder, 's'), engine.socketPath)
const settings = { DOCKER_HOST: gate.host, BERTH_ENGINE_TIMEOUT_SECONDS: '5' }
const canPull = await isRegistryInstalled()
if (!canPull) log('No pulls: docker-registry is not installed')
await using registry = canPull ? await startSlowRegistry(engine.docker, await ensureTestImage(engine.docker)) : null
const cluster = await startTestCluster({ docker: engine.docker, settings })
try {
  const options = { seed: Number(values.seed), faults: Number(values.faults), newImage: registry?.newImage }
  const { faults, slowestSeconds } = await failEngine({ cluster, engine, gate }, options, log)
  const counts = Object.entries(faults).map(([fault, count]) => `${count} × ${fault}`)
  log(
    `The engine ${counts.join(', ')}: every operation ended as it should, nothing doubled, the bystander adopted; all invariants held again after at most ${slowestSeconds.toFixed(1)} s later`,
  )
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await cluster.close(process.exitCode === 1).catch(() => {})
  rmSync(folder, { recursive: true, force: true })
}
