import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { BUILDER_IMAGE, builderImageProblem } from '../support/builder-image.ts'
import { freePort } from '../support/free-ports.ts'
import { COUNTS_FILE, type Counts } from '../support/summary-reporter.ts'
import { isWorthAnotherRun, NONE, sumOf, type TestCounts, withSecondRun } from './counts.ts'
import { type DebianEngine, debianEngineProblem, type RunningEngine, startDebianEngine } from './debian-engine.ts'
import type { EngineRun } from './report-runs.ts'
import type { TestedEngine } from './tested-engines.ts'

const ROOT = join(import.meta.dirname, '../..')
const VITEST = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run']
/** Of one command: the longest takes a third of it on two cores. Without a bound, one that hangs is a run without a result. */
const MAX_MINUTES = 30
const KILL_AFTER_MS = 30_000

const failing = (why: string): Pick<Counts, 'failed' | 'failures'> => ({ failed: 1, failures: [why] })
/** Of the second run: what fails because much else runs has to pass with little beside it. */
const SECOND_RUN_WORKERS = '2'
const BERTH = [process.execPath, join(ROOT, 'scripts/berth.mjs')]

interface Wanted {
  /** The arguments of Vitest, for each of its runs. */
  tests: readonly (readonly string[])[]
  /** Whether `npm run demo` is run as well, which counts as one test. */
  demo: boolean
}

/** Runs tests on one engine, which is started and ended if it is not this machine's own. */
export async function runOnEngine({ name, from }: TestedEngine, wanted: Wanted): Promise<EngineRun> {
  const problem = from && debianEngineProblem()
  if (problem) return { name, notRun: problem, isImpossible: true }
  const startedAt = performance.now()
  const started = from ? tryToStart(from) : null
  if (typeof started === 'string') return { name, notRun: started, isImpossible: false }
  using engine = started
  const about = await describeEngine(engine)
  if (engine) await giveBuilderImage(engine)
  console.log(`\nTests on the engine ${name}: ${about.version}, ${about.store}`)
  let counts: TestCounts = NONE
  for (const args of wanted.tests) counts = sumOf(counts, await runTests(engine, args))
  if (wanted.demo) counts = sumOf(counts, await runDemo(engine))
  return { name, ...about, ...counts, minutes: (performance.now() - startedAt) / 60_000 }
}

/** The engine, or why there is none. */
function tryToStart(engine: DebianEngine): RunningEngine | string {
  try {
    return startDebianEngine(engine)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What this machine's engine has of it: tests fetch nothing from the internet. */
async function giveBuilderImage({ socketPath }: RunningEngine): Promise<void> {
  const own = new Docker()
  if (await builderImageProblem(own)) return
  const stream = await new Docker({ socketPath }).loadImage(await own.getImage(BUILDER_IMAGE).get())
  for await (const _ of stream);
}

async function describeEngine(engine: RunningEngine | null): Promise<{ version: string; store: string }> {
  const docker = engine ? new Docker({ socketPath: engine.socketPath }) : new Docker()
  const [{ Version, ApiVersion }, { Driver, DriverStatus }] = await Promise.all([docker.version(), docker.info()])
  const isContainerd = JSON.stringify(DriverStatus ?? []).includes('io.containerd.snapshotter')
  return { version: `${Version} (API ${ApiVersion})`, store: isContainerd ? `containerd, ${Driver}` : Driver }
}

async function runTests(engine: RunningEngine | null, args: readonly string[]): Promise<TestCounts> {
  const counts = await runOnce(engine, args)
  if (!isWorthAnotherRun(counts)) return counts
  const { failedFiles } = counts
  console.log(`\n${failedFiles.length} files with a failure are run once more: ${failedFiles.join(', ')}`)
  const settings = { BERTH_TEST_WORKERS: SECOND_RUN_WORKERS }
  return withSecondRun(counts, await runOnce(engine, [...args, ...failedFiles], settings))
}

async function runOnce(
  engine: RunningEngine | null,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-counts-'))
  try {
    const file = join(folder, 'counts.json')
    const code = await run(engine, [...VITEST, ...args], { ...settings, [COUNTS_FILE]: file })
    const counts: TestCounts = { ...NONE, ...readCounts(file) }
    // A run that fails without a failed test, such as one that was killed, has failed all the same.
    return code !== 0 && counts.failed === 0 ? { ...counts, ...failing(`the run ended with ${code}`) } : counts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readCounts(file: string): Partial<Counts> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return failing('the run was ended before it could count')
  }
}

/** The README's first command, in an installation of its own. */
async function runDemo(engine: RunningEngine | null): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-demo-'))
  try {
    const ports = { PORT: `${await freePort()}`, INGRESS_PORT: `${await freePort()}` }
    const settings = { ...ports, BERTH_DATA_DIR: folder, BERTH_HOST_FIREWALL: 'off' }
    const code = await run(engine, [...BERTH, 'demo', '--exit'], settings)
    const reset = await run(engine, [...BERTH, 'reset', '--yes'], settings)
    return code === 0 && reset === 0
      ? { ...NONE, passed: 1 }
      : { ...NONE, ...failing(`npm run demo ended with ${code}, npm run reset with ${reset}`) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The exit code of a command that has the terminal and reaches the containers of the engine. */
function run(engine: RunningEngine | null, command: string[], settings: NodeJS.ProcessEnv): Promise<number> {
  const [program = '', ...args] = engine ? engine.inside(command) : command
  const environment = engine?.environment ?? process.env
  const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', env: { ...environment, ...settings } })
  let signalled = false
  const stop = () => {
    signalled = true
    child.kill('SIGTERM')
  }
  const end = () => {
    console.error(`${command.join(' ')} did not end within ${MAX_MINUTES} minutes and is ended.`)
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref()
  }
  const limit = setTimeout(end, MAX_MINUTES * 60_000)
  process.on('SIGTERM', stop).on('SIGINT', stop)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(limit)
      process.off('SIGTERM', stop).off('SIGINT', stop)
      if (signalled) reject(new Error('Interrupted'))
      else resolve(code ?? 1)
    })
  })
}
