import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { scratchFolder } from './test/support/scratch-folder.ts'

// Read by every process of the run: this one starts the database, its workers and their programs inherit it.
process.env.TMPDIR = scratchFolder()

// The parts of the suite: a file belongs to one by what it needs. `npm test` runs `quick` and `main-path`, `npm run test:all`
// runs every one of them.

/** Files that need the machine's container engine. */
const ENGINE = [
  'test/app-types/{preset-builds,scratch-type}.test.ts',
  'test/e2e/**/*.test.ts',
  'test/engines/docker/images/{build,docker-image-builder,own-builder,registry}.test.ts',
  'test/logs/builds.test.ts',
  'test/engines/docker/runtime/{container-settings,disk-use,docker-runtime,exec,faulty-images,last-words,listening,lost-start}.test.ts',
  'test/engines/docker/runtime/{network-holders,replaced-by-hand,replica-networks,sandbox}.test.ts',
  'test/worker/{deploy,disk-quota,early-exit,health-check-types,hosts,job-runs,lifecycle}.test.ts',
  'test/worker/{installation-network,listening,outage,remote-sessions,settings}.test.ts',
  'test/worker/{sweep-images,unreachable,usage,volumes}.test.ts',
  'test/worker/logs/{collector,pods}.test.ts',
]

/** Files that start processes of Berth and kill them, or that try many cases at random. */
const PROOFS = [
  'test/crash/**/*.test.ts',
  'test/storage/events/{resume,slow-readers}.test.ts',
  'test/hostile/hostile.test.ts',
  'test/calls/idempotency/**/*.test.ts',
  'test/mistakes/**/*.test.ts',
  'test/model/**/*.test.ts',
  'test/processes/**/*.test.ts',
  'test/readme/pasted-blocks.test.ts',
  'test/shutdown/**/*.test.ts',
  'test/supervisor/**/*.test.ts',
  'test/tcp-flood/**/*.test.ts',
]

/** Files that need neither, and take long: matrices, servers of their own, browsers, waits. */
const LONG = [
  'test/builder/{hostile,time}.test.ts',
  'test/clients/{graphql-tools,older-clients,openapi-tools}.test.ts',
  'test/console/{stories,screens,live}/**/*.test.ts',
  'test/contracts/memory-engine.test.ts',
  'test/contributing/followed-checklists.test.ts',
  'test/storage/database/embedded.test.ts',
  'test/api/http/{endless-bodies,processor-time}.test.ts',
  'test/ingress/vanished-clients.test.ts',
  'test/logs/large-download.test.ts',
  'test/parity/{parity,promises}.test.ts',
  'test/permissions/matrix.test.ts',
  'test/storage/reads/{growth,outage}.test.ts',
  'test/recorded/recorded.test.ts',
  'test/api/sign-in/pages.test.ts',
  'test/api/rest/pages.test.ts',
  'test/spec/patch-app.test.ts',
  'test/structure/linear-patterns.test.ts',
  'test/webhooks/webhooks.test.ts',
  'test/worker/{autoscaling,inspect-sources,job-queue,job-run-faults,region-engines,sleeping-lifecycle}.test.ts',
]

/** Knows only what a user knows: `npm start`, and what answers then. */
const SHIPPED = ['test/shipped/**/*.test.ts']

/** Of these, what a user does first. */
const MAIN_PATH = ['test/shipped/main-path.test.ts']

/** Everything else. */
const QUICK = { include: ['test/**/*.test.ts'], exclude: [...ENGINE, ...PROOFS, ...LONG, ...SHIPPED] }

/** A bound on a hang, not a measure: on a busy machine a test takes many times as long as on an idle one. */
const TIMEOUT_MS = 240_000

/** How long `expect.poll` waits for a state: a bound on a hang as well. */
const POLL_TIMEOUT_MS = 30_000

const inherited = {
  pool: 'forks',
  // Loading all modules for each file took a third of the time. No file may leave anything behind in its process.
  isolate: false,
  // More than there are cores, because most of the time goes into waiting for containers and processes: three left a third
  // of two cores idle, five leave nothing.
  maxWorkers: Number(process.env.BERTH_TEST_WORKERS) || Math.max(5, availableParallelism()),
  teardownTimeout: 60_000,
} as const

// Processes that tests start load in half the time.
const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') }
// So that a file which needs an engine is found out at once.
const noEngine = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' }

// Two copies of graphql in one process refuse each other's schemas; everything takes the ESM build.
const resolve = {
  alias: [{ find: /^graphql$/, replacement: join(import.meta.dirname, 'node_modules/graphql/index.mjs') }],
}

const project = (name: string, files: { include: string[]; exclude?: string[] }, more = {}) => ({
  resolve,
  test: {
    ...inherited,
    ...files,
    name,
    env: { ...env, ...more },
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
  },
})

const shippedProject = (name: string, files: { include: string[]; exclude?: string[] }) => {
  const { resolve, test } = project(name, files)
  const support = {
    globalSetup: ['test/shipped/support/setup.ts'],
    setupFiles: ['test/shipped/support/count-assertions.ts'],
  }
  return { resolve, test: { ...test, ...support } }
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres.ts'],
    reporters: ['default', './test/shipped/support/count-reporter.ts', './test/support/summary-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    maxWorkers: inherited.maxWorkers,
    teardownTimeout: inherited.teardownTimeout,
    projects: [
      project('quick', QUICK, noEngine),
      shippedProject('main-path', { include: MAIN_PATH }),
      project('long', { include: LONG }, noEngine),
      project('engine', { include: ENGINE }),
      project('proofs', { include: PROOFS }),
      shippedProject('shipped', { include: SHIPPED, exclude: MAIN_PATH }),
      // The same on a database that Berth did not bring, with a process for each role.
      shippedProject('shipped-apart', { include: SHIPPED }),
    ],
  },
})
