// The only entry point: prepares whatever is missing, then runs the command. Plain JavaScript without dependencies,
// because a fresh clone has none yet.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCode } from './setup/compiled-code.mjs'
import { berthNode, checkNode, installDependencies } from './setup/dependencies.mjs'
import { prepareEngine } from './setup/engine.mjs'
import { generateCode } from './setup/generated-code.mjs'
import { oneAtATime } from './setup/one-at-a-time.mjs'
import { findProof } from './setup/proofs.mjs'
import { runProgram } from './setup/run-program.mjs'
import { serviceSettings } from './setup/service-settings.mjs'
import { SetupError } from './setup/step.mjs'
import { supervise } from './supervisor/supervise.mjs'

const VITEST = ['node_modules/vitest/vitest.mjs', 'run']
const TEST_ALL = 'test/tested-engines/test-all.ts'

// engine: 'sought' uses one that runs, 'wanted' installs one if it can and continues without, 'required' stops.
const COMMANDS = {
  start: { isSupervised: true, isCompiled: true, engine: 'wanted' },
  // A file or a name is sought in all tests, not in the quick ones alone.
  test: { program: VITEST, withoutName: [TEST_ALL, '--quick'], isCompiled: true, engine: 'required' },
  'test:all': { program: VITEST, withoutName: [TEST_ALL], isCompiled: true, engine: 'required' },
  // Compiled, because it starts Berth, and must not overtake a start that compiles.
  demo: { program: ['scripts/demo.ts'], isCompiled: true, engine: 'required' },
  bench: { program: ['bench/run.ts'], isCompiled: true, engine: 'required' },
  // The rest of its entry is in the list of proofs, by name.
  prove: {},
  check: { program: ['scripts/check.ts'] },
  'key:rotate': { program: ['scripts/rotate-key.ts'] },
  'engine:take-over': { program: ['scripts/take-over-engine.ts'] },
  'audit:verify': { program: ['scripts/verify-audit.ts'] },
  'usage:verify': { program: ['scripts/verify-usage.ts'] },
  doctor: { program: ['scripts/doctor.ts'], engine: 'sought' },
  reset: { program: ['scripts/reset.ts'], engine: 'sought' },
  service: { program: ['scripts/service.ts'] },
  // All that a start does before it starts.
  prepare: { isCompiled: true },
  migration: { program: ['scripts/make-migration.ts'] },
  schema: { program: ['scripts/print-schema.ts'] },
  'solution:check': { program: ['scripts/solution-check.ts'] },
  generate: {},
}

/** For those who run Berth. Every other command tests, checks or changes it, with development dependencies. */
const RUNNING = new Set([
  'start',
  'demo',
  'doctor',
  'reset',
  'audit:verify',
  'usage:verify',
  'key:rotate',
  'service',
  'prepare',
  'generate',
])

const OF_A_RUNNING_BERTH = new Set(['demo', 'doctor', 'reset', 'audit:verify', 'usage:verify', 'key:rotate'])

async function main([name = 'start', ...args]) {
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new SetupError(`There is no command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}.`)
  }
  const command = name === 'prove' ? findProof(args.shift()) : COMMANDS[name]
  if (!command) return 0
  const root = fileURLToPath(new URL('..', import.meta.url))
  process.chdir(root)
  // A shell has none of the settings of the service, whose Berth the command is about.
  if (OF_A_RUNNING_BERTH.has(name))
    for (const [key, value] of Object.entries(serviceSettings(root))) process.env[key] ??= value
  checkNode()
  await installDependencies(root, { withDevelopment: !RUNNING.has(name) })
  const node = berthNode(root)
  await generateCode(root, node)
  if (command.isCompiled) await compileCode(root, node)
  const dataDir = resolve(process.env.BERTH_DATA_DIR || '.berth')
  const environment = command.engine && mayUseEngine() ? await prepareEngine(root, dataDir, command.engine) : {}
  // This process stays as the supervisor: another one would cost 50 MB.
  if (command.isSupervised) {
    await finishRotation(node, dataDir)
    return start(root, node, environment)
  }
  if (!command.program) return 0
  const isNamed = args.some((arg) => !arg.startsWith('-'))
  const program = isNamed ? command.program : (command.withoutName ?? command.program)
  return runProgram(node, [...program, ...args], environment)
}

/** A rotation of the master key that was killed, as by a power cut: Berth would not start before its end. */
async function finishRotation(node, dataDir) {
  if (existsSync(join(dataDir, 'master-key.next'))) await runProgram(node, ['scripts/rotate-key.ts'])
}

/** Starting is part of the set-up: a demo that waits for that finds Berth ready, and does not start another. */
async function start(root, node, environment) {
  let ended
  const untilReady = () =>
    new Promise((resolve) => {
      ended = supervise(node, environment, resolve)
      ended.then(resolve)
    })
  await oneAtATime(root, () => false, untilReady)
  return ended
}

/** Only workers need it; and the program itself reports wrong settings. */
function mayUseEngine() {
  const { BERTH_ROLES, DOCKER_HOST } = process.env
  return (!BERTH_ROLES?.trim() || /worker/.test(BERTH_ROLES)) && (!DOCKER_HOST || URL.canParse(DOCKER_HOST))
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof SetupError ? `\n${error.message}` : error)
  process.exitCode = 1
}
