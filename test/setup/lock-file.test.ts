import { expect, test } from 'vitest'
import { type LockedPackage, lockFileProblems } from '../../scripts/check/lock-file-problems.ts'

const wanted = { dependencies: { bundler: '^1.0.0' }, devDependencies: { tester: '^2.0.0' } }
const locked = (changed: Record<string, LockedPackage | undefined> = {}): Record<string, LockedPackage> => {
  const packages: Record<string, LockedPackage | undefined> = {
    '': wanted,
    'node_modules/bundler': {
      ...entry('1.0.0'),
      optionalDependencies: { 'bundler-linux': '1.0.0', 'bundler-darwin': '1.0.0' },
    },
    'node_modules/bundler-linux': entry('1.0.0'),
    'node_modules/bundler/node_modules/bundler-darwin': entry('1.0.0'),
    'node_modules/tester': { ...entry('2.0.0'), dependencies: { bundler: '1' }, devDependencies: { linter: '1' } },
    ...changed,
  }
  return Object.fromEntries(Object.entries(packages).flatMap(([path, about]) => (about ? [[path, about]] : [])))
}
function entry(version: string): LockedPackage {
  return { version, integrity: 'sha512-a' }
}

test('a lock file with every package that is wanted has no problem', () => {
  expect(lockFileProblems(wanted, locked())).toEqual([])
})

test('an optional package of another platform that is missing is named with what wants it', () => {
  expect(lockFileProblems(wanted, locked({ 'node_modules/bundler/node_modules/bundler-darwin': undefined }))).toEqual([
    'node_modules/bundler: bundler-darwin@1.0.0 is missing',
  ])
})

test('a package that lies inside of another one is missing for a third', () => {
  const tester = { ...entry('2.0.0'), dependencies: { 'bundler-darwin': '1.0.0' } }
  expect(lockFileProblems(wanted, locked({ 'node_modules/tester': tester }))).toEqual([
    'node_modules/tester: bundler-darwin@1.0.0 is missing',
  ])
})

test('another range in package.json than in the lock file is a problem', () => {
  expect(lockFileProblems({ ...wanted, devDependencies: { tester: '^3.0.0' } }, locked())).toEqual([
    'tester: package.json wants ^3.0.0, package-lock.json has ^2.0.0',
  ])
})

test('a version without a digest and one with the address of a registry are problems', () => {
  const tester = { version: '2.0.0', resolved: 'https://registry.example/tester-2.0.0.tgz' }
  expect(lockFileProblems(wanted, locked({ 'node_modules/tester': tester }))).toEqual([
    'node_modules/tester: there is no digest',
    'node_modules/tester: its address is https://registry.example/tester-2.0.0.tgz',
  ])
})
