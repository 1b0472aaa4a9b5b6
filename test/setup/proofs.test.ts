import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProof, PROOFS } from '../../scripts/setup/proofs.mjs'

const ROOT = join(import.meta.dirname, '../..')
const names = Object.keys(PROOFS).sort()
const programs = Object.values(PROOFS).map(({ program }) => program[0])

/** Starts nothing: without a name, and with a wrong one, the list is all that is done. */
const npmRunProve = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/berth.mjs', 'prove', ...args], { cwd: ROOT, encoding: 'utf8' })

test('npm run prove lists every proof with one line', () => {
  const { status, stdout } = npmRunProve()
  const listed = stdout.split('\n').flatMap((line) => /^ {2}(\S+) {2,}\S/.exec(line)?.slice(1) ?? [])
  expect({ status, listed }).toEqual({ status: 0, listed: names })
})

test('a proof that does not exist is refused with the list', () => {
  const { status, stderr } = npmRunProve('kils')
  expect(status).toBe(1)
  expect(stderr).toContain('There is no proof "kils". There are:')
  expect(stderr).toContain('kills')
  expect(() => findProof('constructor')).toThrow('There is no proof "constructor"')
})

test('every program that proves is in the list', () => {
  const isMissing = (file: string) => !programs.includes(file)
  expect(globSync('test/*/{prove,prove-*}.ts', { cwd: ROOT }).filter(isMissing)).toEqual([])
  expect(programs.filter((program) => program !== undefined && globSync(program, { cwd: ROOT }).length === 0)).toEqual(
    [],
  )
})

test('docs/testing.md says of every proof what it shows', () => {
  const table = /## Proofs[\s\S]*?\n## /.exec(readFileSync(join(ROOT, 'docs/testing.md'), 'utf8'))?.[0] ?? ''
  const documented = [...table.matchAll(/^\| `([a-z]+)[ `]/gm)].map(([, name]) => name)
  expect([...new Set(documented)].sort()).toEqual(names)
})

test('nothing names a proof by a script of its own', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const naming = files
    .split('\n')
    .filter((file) => /\.(ts|mjs|md|json|yml)$/.test(file))
    .filter((file) => /prove:[a-z*…]/.test(readOrEmpty(join(ROOT, file))))
  expect(naming.filter((file) => file !== 'test/setup/proofs.test.ts')).toEqual([])
})

/** Deleted files are listed until they are committed. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
