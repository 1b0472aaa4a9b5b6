import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { scratchFolder } from './test/support/scratch-folder.ts'

// Read by every process of the run: this one starts the database, its workers and their programs inherit it.
process.env.TMPDIR = scratchFolder()

/** Files that need the machine's container engine. */
const ENGINE = [
  'test/app-types/{preset-builds,scratch-type}.test.ts',
  'test/e2e/**/*.test.ts',
  'test/logs/builds.test.ts',
  'test/{runtime,images,engine}/**/*.test.ts',
  'test/worker/**/*.test.ts',
]

/** Files that start processes of Berth and kill them, or that try many cases at random. */
const PROOFS = [
  'test/crash/**/*.test.ts',
  'test/events/{resume,slow-readers}.test.ts',
  'test/hostile/hostile.test.ts',
  'test/idempotency/**/*.test.ts',
  'test/mistakes/**/*.test.ts',
  'test/model/**/*.test.ts',
  'test/processes/**/*.test.ts',
  'test/readme/pasted-blocks.test.ts',
  'test/shutdown/**/*.test.ts',
  'test/supervisor/**/*.test.ts',
  'test/tcp-flood/**/*.test.ts',
]

/** Knows only what a user knows: `npm start`, and what answers then. */
const SHIPPED = ['test/shipped/**/*.test.ts']

/** Everything else. It has no engine, so that a file which needs one is found out at once. */
const API = { include: ['test/**/*.test.ts'], exclude: [...ENGINE, ...PROOFS, ...SHIPPED] }

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
const noEngine = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' }

// Two copies of graphql in one process refuse each other's schemas; everything takes the ESM build.
const resolve = {
  alias: [{ find: /^graphql$/, replacement: join(import.meta.dirname, 'node_modules/graphql/index.mjs') }],
}

const project = (name: string, files: { include: string[]; exclude?: string[] }, more = {}) => ({
  resolve,
  test: {
    ...{ ...inherited, ...files, name, env: { ...env, ...more } },
    ...{
      testTimeout: TIMEOUT_MS,
      hookTimeout: TIMEOUT_MS,
      expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    },
  },
})

const shippedProject = (name: string) => {
  const { resolve, test } = project(name, { include: SHIPPED })
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
      project('api', API, noEngine),
      project('engine', { include: ENGINE }),
      project('proofs', { include: PROOFS }),
      shippedProject('shipped'),
      // The same on a database that Berth did not bring, with a process for each role.
      shippedProject('shipped-apart'),
    ],
  },
})
