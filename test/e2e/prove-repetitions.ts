// npm run prove:repetitions     every repetition of the tests that repeat less in npm test
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const FILES = ['test/e2e/replacement', 'test/app-types/preset-builds']

const { status } = spawnSync(join(ROOT, 'node_modules/.bin/vitest'), ['run', '--project', 'engine', ...FILES], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, BERTH_TEST_REPETITIONS: 'all' },
})
process.exitCode = status ?? 1
