import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Files that need the machine's container engine. */
const ENGINE = [
  'test/app-types/preset-builds.test.ts',
  'test/e2e/**/*.test.ts',
  'test/logs/builds.test.ts',
  'test/runtime/**/*.test.ts',
  'test/worker/**/*.test.ts',
]
/** Files that start processes of Berth and end them, or that draw many cases at random. */
const PROOFS = [
  'test/crash/**/*.test.ts',
  'test/events/{resume,slow-readers}.test.ts',
  'test/hostile/hostile.test.ts',
  'test/idempotency/**/*.test.ts',
  'test/logs/{logs,killed-builds}.test.ts',
  'test/model/**/*.test.ts',
  'test/processes/**/*.test.ts',
  'test/shutdown/**/*.test.ts',
]

const common = {
  pool: 'forks',
  isolate: false,
  maxWorkers: Number(process.env.W ?? 2),
  testTimeout: 30_000,
  hookTimeout: 60_000,
  teardownTimeout: 30_000,
} as const

// Two copies of graphql in one process refuse each other's schemas; everything takes the ESM build.
const resolve = {
  alias: [{ find: /^graphql$/, replacement: join(import.meta.dirname, 'node_modules/graphql/index.mjs') }],
}

export default defineConfig({
  resolve,
  test: {
    globalSetup: ['test/support/postgres.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    ...common,
    projects: [
      { resolve, test: { ...common, name: 'api', include: ['test/**/*.test.ts'], exclude: [...ENGINE, ...PROOFS] } },
      { resolve, test: { ...common, name: 'engine', include: ENGINE } },
      { resolve, test: { ...common, name: 'proofs', include: PROOFS } },
    ],
  },
})
