// npm run check    everything that must hold besides the tests, in one place
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const CRUISED = ['src', 'scripts', 'bench', 'text', 'console/src', 'test/shipped']
const IMPORT_RULES = ['node_modules/.bin/depcruise', '--config', '.dependency-cruiser.cjs', ...CRUISED]

const CHECKS = [
  { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings'] },
  { name: 'types', command: 'tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'types of the console', command: 'tsc', args: ['--noEmit', '-p', 'console'] },
  { name: 'import rules', command: 'node', args: ['--import', './scripts/check/read-using.mjs', ...IMPORT_RULES] },
  { name: 'no cycle between folders', command: 'node', args: ['scripts/check/folder-graph.ts'] },
  { name: 'dead code', command: 'knip', args: [] },
  { name: 'package-lock.json is whole', command: 'node', args: ['scripts/check/lock-file.ts'] },
  { name: 'the console is small', command: 'node', args: ['scripts/check/console-size.ts'] },
  { name: 'no known vulnerability', command: 'node', args: ['scripts/check/audit.ts'] },
  { name: 'migrations lead to the schema', command: 'node', args: ['scripts/make-migration.ts', '--check'] },
  { name: 'schema.graphql is current', command: 'node', args: ['src/api/graphql/print-schema.ts', '--check'] },
  { name: 'docs/configuration.md is current', command: 'node', args: ['scripts/settings-table.ts', '--check'] },
  { name: 'docs/compose.md is current', command: 'node', args: ['scripts/compose-table.ts', '--check'] },
  { name: 'docs/permissions.md is current', command: 'node', args: ['scripts/permissions-table.ts', '--check'] },
]

const PROGRAMS = join(import.meta.dirname, '../node_modules/.bin')
const TIMEOUT_MS = 300_000

interface Outcome {
  passed: boolean
  output: string
}

function run(command: string, args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(join(PROGRAMS, command), args, { timeout: TIMEOUT_MS, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', (error) => resolve({ passed: false, output: error.message }))
    child.once('close', (code) => resolve({ passed: code === 0, output }))
  })
}

let failures = 0
for (const { name, command, args } of CHECKS) {
  const startedAt = performance.now()
  const { passed, output } = await run(command, args)
  console.log(`${passed ? '✓' : '✗'} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  if (passed && output.startsWith('Skipped')) console.log(`    ${output.trim()}`)
  if (passed) continue
  failures += 1
  console.log(output.trim().replace(/^/gm, '    '))
}
console.log(failures === 0 ? `All ${CHECKS.length} checks passed.` : `${failures} of ${CHECKS.length} checks failed.`)
process.exitCode = failures === 0 ? 0 : 1
