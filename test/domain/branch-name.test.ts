import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBranchName } from '../../src/domain/branch-name.ts'
import { repetitions } from '../support/repetitions.ts'

/** Git's own answer, in one run for many names: each is created as a branch of a list, which git checks one by one. */
const isBranchOfGit = (name: string): boolean =>
  spawnSync('git', ['check-ref-format', '--branch', name], { cwd: '/' }).status === 0

const TAKEN = [
  'main',
  'feature/x-1',
  'release/2.0',
  'user@host',
  'a=b',
  'fix#12',
  '_x',
  'v1.0+rc',
  'größe',
  'it’s',
  "it's",
  'a(b)',
  'a,b',
  '50%',
  'a&b',
  'wow!',
  '$HOME',
  '機能/追加',
  'a;b',
  'a|b',
  '"a"',
  '{a}',
  '+x',
  '@x',
  'a@',
]

const REFUSED = [
  '',
  '-f',
  '--upload-pack=touch /tmp/x',
  '../main',
  'a..b',
  'a//b',
  'a/.b',
  '.a',
  '/a',
  'a@{1}',
  'a.lock',
  'a.lock/b',
  'a.',
  'a/',
  'a b',
  'a\nb',
  'a\u007fb',
  'main:x',
  'a*',
  'a?',
  'a[b',
  'a\\b',
  'a~1',
  'a^',
  'HEAD',
]

test.each(TAKEN)('%s is a branch, also for git', (name) => {
  expect(isBranchOfGit(name)).toBe(true)
  expect(isBranchName(name)).toBe(true)
})

test.each(REFUSED)('%j is none, also for git', (name) => {
  expect(isBranchOfGit(name)).toBe(false)
  expect(isBranchName(name)).toBe(false)
})

test.each(['@', 'a'.repeat(251), 'a\ud800', 'a\0b'])('%j is none here', (name) => {
  expect(isBranchName(name)).toBe(false)
})

test('every generated name is judged as git judges it', () => {
  const signs = fc.constantFrom(
    ...'aZ0.-_/@{}~^:?*[]\\ ()!$%&\'",;|<>=+#`'.split(''),
    '.lock',
    '..',
    '\t',
    'ß',
    '機',
    '\u007f',
  )
  const names = fc.array(signs, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      // What git reads as an expression (`@{-1}`) depends on where it runs; `@` stands for HEAD.
      names.filter((name) => name !== '@' && !name.startsWith('@{')),
      (name) => {
        expect([name, isBranchName(name)]).toEqual([name, isBranchOfGit(name)])
      },
    ),
    { numRuns: repetitions(300, 5_000) },
  )
})
