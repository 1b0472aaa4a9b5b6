import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COUNTS_FILE, type Counts } from '../support/summary-reporter.ts'

const ROOT = join(import.meta.dirname, '../..')
const REPORTER = join(ROOT, 'test/support/summary-reporter.ts')
const FAILURE = "throw new Error('broken')"

/** Every place of a file of tests where something can fail, each in a file of its own. */
const PLACES = {
  single: `test('one', () => { ${FAILURE} })`,
  nested: `describe('group', () => { test('one', () => { ${FAILURE} }) })`,
  'before-each': `beforeEach(() => { ${FAILURE} }); test('one', () => {})`,
  'after-each': `afterEach(() => { ${FAILURE} }); test('one', () => {})`,
  'file-before-all': `beforeAll(() => { ${FAILURE} }); test('one', () => {})`,
  'file-after-all': `afterAll(() => { ${FAILURE} }); test('one', () => {})`,
  'group-before-all': `describe('group', () => { beforeAll(() => { ${FAILURE} }); test('one', () => {}) })`,
  'group-after-all': `describe('group', () => { afterAll(() => { ${FAILURE} }); test('one', () => {}) })`,
  'group-itself': `describe('group', () => { ${FAILURE} })`,
  fixture: `const used = test.extend({ thing: async ({}, use) => { ${FAILURE} } }); used('one', ({ thing }) => thing)`,
  load: FAILURE,
  'no-test': '',
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-reporter-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function countsOf(files: Record<string, string>): Counts & { exitCode: number | null } {
  const hooks = 'beforeEach, afterEach, beforeAll, afterAll, describe, test'
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.test.ts`), `import { ${hooks} } from 'vitest'\n${text}\n`)
  }
  const file = join(folder, 'counts.json')
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter', REPORTER]
  const { status } = spawnSync(process.execPath, args, {
    env: { ...process.env, [COUNTS_FILE]: file },
    timeout: 60_000,
  })
  return { ...JSON.parse(readFileSync(file, 'utf8')), exitCode: status }
}

test('a failure is named with its file wherever it is', () => {
  const { exitCode, failed, failures, failedFiles, elsewhere } = countsOf(PLACES)
  expect({ exitCode, elsewhere, failed }).toEqual({ exitCode: 1, elsewhere: 0, failed: Object.keys(PLACES).length })
  expect([...failedFiles].sort()).toEqual(
    Object.keys(PLACES)
      .sort()
      .map((name) => `${name}.test.ts`),
  )
  for (const file of failedFiles) expect(failures.filter((line) => line.includes(file))).toHaveLength(1)
})

test('what fails outside of every test is counted so, and nothing fails where nothing did', () => {
  const passing = "test('one', () => {})"
  const outside = `test('one', async () => { setTimeout(() => { ${FAILURE} }, 1); await new Promise((done) => setTimeout(done, 50)) })`
  expect(countsOf({ passing })).toMatchObject({ exitCode: 0, passed: 1, failed: 0, failures: [], elsewhere: 0 })
  expect(countsOf({ outside })).toMatchObject({ exitCode: 1, passed: 2, failed: 1, failedFiles: [], elsewhere: 1 })
})
