import { expect, test } from 'vitest'
import { isBranchName } from '../../src/domain/branch-name.ts'

test.each(['main', 'feature/x-1', 'release/2.0', 'user@host', 'a=b', 'fix#12', '_x', 'v1.0+rc'])(
  '%s is a branch',
  (name) => expect(isBranchName(name)).toBe(true),
)

test.each([
  '',
  '-f',
  '--upload-pack=touch /tmp/x',
  '../main',
  'a..b',
  'a//b',
  'a/.b',
  'a@{1}',
  'a.lock',
  'a.lock/b',
  'a.',
  'a/',
  'a b',
  'a\nb',
  'main:x',
  'é',
  'a'.repeat(251),
])('%j is none', (name) => expect(isBranchName(name)).toBe(false))
