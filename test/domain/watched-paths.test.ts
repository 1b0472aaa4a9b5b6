import { expect, test } from 'vitest'
import { choosesAny, isPathPattern } from '../../src/domain/watched-paths.ts'

test.each<[string[], string[], boolean]>([
  [[], ['any/file'], true],
  [['services/api'], ['services/api/src/server.ts'], true],
  [['services/api'], ['services/api-docs/index.md'], false],
  [['/services/api/'], ['services/api/package.json'], true],
  [['src/**/*.ts'], ['src/a/b/c.ts'], true],
  [['src/**/*.ts'], ['src/a/b/c.js'], false],
  [['**/package.json'], ['services/api/package.json'], true],
  [['**/package.json'], ['package.json'], true],
  [['*.md'], ['docs/index.md'], false],
  [['services/api', '!**/*.md'], ['services/api/README.md'], false],
  [['services/api', '!**/*.md'], ['services/api/README.md', 'services/api/a.ts'], true],
  [['!docs'], ['docs/index.md'], false],
  [['!docs'], ['docs/index.md', 'src/a.ts'], true],
  [['!docs', 'docs/api'], ['docs/api/index.md'], true],
  [['src'], [], false],
])('the patterns %j choose any of %j: %s', (patterns, paths, expected) => {
  expect(choosesAny(patterns, paths)).toBe(expected)
})

test('comparing is bounded: what takes too long is chosen', () => {
  const patterns = Array.from({ length: 50 }, (_, index) => `${'**/a*'.repeat(30)}${index}`)
  const paths = Array.from({ length: 20_000 }, () => 'a'.repeat(200))
  expect(choosesAny(patterns, paths)).toBe(true)
})

test.each([
  ['src/**', true],
  ['!docs', true],
  ['[a-z', false],
  ['', true],
])('%s is a pattern: %s', (text, expected) => {
  expect(isPathPattern(text)).toBe(expected)
})
