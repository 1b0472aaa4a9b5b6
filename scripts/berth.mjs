// The only entry point: prepares whatever is missing, then runs the command. Plain JavaScript without dependencies,
// because a fresh clone has none yet.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCode } from './setup/compiled-code.mjs'
import { berthNode, checkNode, installDependencies } from './setup/dependencies.mjs'
import { prepareEngine } from './setup/engine.mjs'
import { generateCode } from './setup/generated-code.mjs'
import { oneAtATime } from './setup/one-at-a-time.mjs'
import { runProgram } from './setup/run-program.mjs'
import { SetupError } from './setup/step.mjs'
import { supervise } from './supervisor/supervise.mjs'

// engine: 'sought' uses one that runs, 'wanted' installs one if it can and continues without, 'required' stops.
const COMMANDS = {
  start: { isSupervised: true, isCompiled: true, engine: 'wanted' },
  test: { program: ['node_modules/vitest/vitest.mjs', 'run'], isCompiled: true, engine: 'required' },
  // Compiled, because it starts Berth, and must not overtake a start that compiles.
  demo: { program: ['scripts/demo.ts'], isCompiled: true, engine: 'required' },
  bench: { program: ['bench/run.ts'], isCompiled: true, engine: 'required' },
  'prove:pauses': { program: ['test/crash/prove-pauses.ts'], engine: 'required' },
  'prove:database': { program: ['test/crash/prove-database.ts'], engine: 'required' },
  'prove:disks': { program: ['test/crash/prove-disks.ts'], engine: 'required' },
  'prove:engine': { program: ['test/crash/prove-engine.ts'], engine: 'required' },
  'prove:functions': { program: ['test/functions/prove-functions.ts'], isCompiled: true, engine: 'required' },
  'prove:jobs': { program: ['test/crash/prove-jobs.ts'], engine: 'required' },
  'prove:kills': { program: ['test/crash/prove-kills.ts'], engine: 'required' },
  'prove:limits': { program: ['test/http/prove-limits.ts'], isCompiled: true, engine: 'required' },
  'prove:logs': { program: ['test/logs/prove-logs.ts'], engine: 'required' },
  'prove:hostile': { program: ['test/hostile/prove.ts'], engine: 'sought' },
  'prove:parsers': { program: ['test/ingress/prove-parsers.ts'] },
  'prove:tcp': { program: ['test/tcp-flood/prove-tcp.ts'] },
  'prove:events': { program: ['test/events/prove-events.ts'] },
  'prove:subscribers': { program: ['bench/run.ts', 'subscribers'] },
  'prove:sigterm': { program: ['test/shutdown/prove-sigterm.ts'], engine: 'required' },
  // Like npm start: uncompiled, each process that they measure would hold the TypeScript compiler in memory.
  'prove:supervisor': { program: ['test/supervisor/prove-supervisor.ts'], isCompiled: true, engine: 'required' },
  'prove:model': { program: ['test/model/prove-model.ts'], engine: 'required' },
  'prove:trust': { program: ['test/trust/prove-trust.ts'], isCompiled: true, engine: 'required' },
  'prove:mistakes': { program: ['test/mistakes/prove-mistakes.ts'], engine: 'required' },
  'prove:services': { program: ['test/e2e/prove-services.ts'], engine: 'required' },
  'prove:solutions': { program: ['test/e2e/prove-solutions.ts'], isCompiled: true, engine: 'required' },
  'prove:repetitions': { program: ['test/e2e/prove-repetitions.ts'], engine: 'required' },
  'prove:reads': { program: ['test/reads/prove-reads.ts'] },
  'prove:growth': { program: ['test/reads/prove-growth.ts'] },
  'prove:readme': { program: ['test/readme/prove-readme.ts'], engine: 'required' },
  'prove:idempotency': { program: ['test/idempotency/prove-idempotency.ts'], engine: 'required' },
  'prove:backups': { program: ['test/backups/prove-backups.ts'] },
  check: { program: ['scripts/check.ts'] },
  'key:rotate': { program: ['scripts/rotate-key.ts'] },
  'audit:verify': { program: ['scripts/verify-audit.ts'] },
  'usage:verify': { program: ['scripts/verify-usage.ts'] },
  reset: { program: ['scripts/reset.ts'], engine: 'sought' },
  migration: { program: ['scripts/make-migration.ts'] },
  schema: { program: ['scripts/print-schema.ts'] },
  'solution:check': { program: ['scripts/solution-check.ts'] },
  generate: {},
}

async function main([name = 'start', ...args]) {
  const command = COMMANDS[name]
  if (!command) throw new SetupError(`There is no command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}.`)
  const root = fileURLToPath(new URL('..', import.meta.url))
  process.chdir(root)
  checkNode()
  await installDependencies(root)
  const node = berthNode(root)
  await generateCode(root, node)
  if (command.isCompiled) await compileCode(root, node)
  const dataDir = resolve(process.env.BERTH_DATA_DIR || '.berth')
  const environment = command.engine && mayUseEngine() ? await prepareEngine(root, dataDir, command.engine) : {}
  // This process stays as the supervisor: another one would cost 50 MB.
  if (command.isSupervised) return start(root, node, environment)
  return command.program ? runProgram(node, [...command.program, ...args], environment) : 0
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
