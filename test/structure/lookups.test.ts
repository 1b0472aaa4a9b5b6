import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

const LOOKUPS = [
  'reconcile',
  'queue',
  'heartbeat',
  'idempotency',
  'rate limit',
  'rollback',
  'lease',
  'backoff',
  'drain',
  'readiness',
]

/** Files whose names have these words in a row, in the singular or the plural; the shortest name first. */
function lookUp(term: string): string[] {
  const pattern = new RegExp(`(^|-)${term.split(' ').join('-')}s?(-|$)`)
  return sourceFiles()
    .filter(({ name }) => pattern.test(name))
    .sort((a, b) => a.name.length - b.name.length)
    .map(({ path }) => path)
}

test.each(LOOKUPS)('looking for "%s" finds a file that is named so', (term) => {
  const found = lookUp(term)
  console.log(`${term} → ${found.join(', ') || 'nothing'}`)
  expect(found).not.toEqual([])
})
