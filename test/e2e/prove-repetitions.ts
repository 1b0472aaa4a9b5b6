// npm run prove -- repetitions     every repetition of the tests that repeat less in npm run test:all
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const USED = /\brepetitions[<(]|\bisTested\(/
const files = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) =>
  USED.test(readFileSync(join(ROOT, file), 'utf8')),
)
const { status } = spawnSync(join(ROOT, 'node_modules/.bin/vitest'), ['run', ...files], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, BERTH_TEST_REPETITIONS: 'all' },
})
process.exitCode = status ?? 1
