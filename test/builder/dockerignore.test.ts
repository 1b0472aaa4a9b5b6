import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IgnoreRules } from '../../src/domain/ignore-rules.ts'
import { pathMatcher } from '../../src/domain/path-pattern.ts'

describe('a pattern', () => {
  test.each([
    ['a', ['a'], ['b', 'a/b', 'ab']],
    ['*', ['a', '.env'], ['a/b']],
    ['*/b', ['a/b'], ['b', 'a/a/b']],
    ['a?c', ['abc'], ['ac', 'a/c']],
    ['**', ['a', 'a/b/c'], []],
    ['**/b', ['b', 'a/b', 'a/c/b'], ['ab', 'a/bc']],
    ['a/**/b', ['a/b', 'a/c/d/b'], ['a/bb', 'ab']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b']],
    ['*.[ch]', ['x.c', 'y.h'], ['x.d', 'a/x.c']],
    ['[^a-c]x', ['dx', '-x'], ['ax', 'cx', '/x']],
    ['[\\]]', [']'], ['\\']],
    ['src/c++', ['src/c++'], ['src/ccc']],
    ['a(b|c){2}$^', ['a(b|c){2}$^'], ['abb']],
    ['\\*', ['*'], ['a']],
  ] as const)('%s', (pattern, yes, no) => {
    const matches = pathMatcher(pattern)
    expect(yes.filter((path) => !matches(path))).toEqual([])
    expect(no.filter((path) => matches(path))).toEqual([])
  })

  test('that is invalid is refused by name', () => {
    expect(() => pathMatcher('src/[abc')).toThrow(/"src\/\[abc" is no pattern/)
  })

  test('with very many possible matches is fast', () => {
    const path = `${'a/'.repeat(400)}c`
    expect(pathMatcher(`${'**/a/'.repeat(40)}b`)(path)).toBe(false)
    expect(pathMatcher(`${'*a'.repeat(100)}b`)('a'.repeat(250))).toBe(false)
  })
})

describe('the patterns of a .dockerignore', () => {
  const kept = (lines: string[], paths: string[]) => {
    const rules = new IgnoreRules(lines)
    return paths.filter((path) => !rules.ignores(path))
  }

  test('leave out everything below a match, and the last matching pattern decides', () => {
    const paths = ['docs/a.md', 'docs/keep/b.md', 'docs/keep/c.txt', 'src/main.ts']
    expect(kept(['docs', '!docs/keep', '**/*.txt'], paths)).toEqual(['docs/keep/b.md', 'src/main.ts'])
    expect(kept(['*', '!src'], paths)).toEqual(['src/main.ts'])
  })

  test('are read as people write them', () => {
    const lines = ['# comment', '', '  /dist/  ', './tmp/../logs', '! dist/kept']
    expect(kept(lines, ['dist/a', 'dist/kept', 'logs/x', '# comment'])).toEqual(['dist/kept', '# comment'])
  })

  test('have their paths normalized as Node.js does', () => {
    const parts = fc.array(fc.constantFrom('', '.', '..', 'a', 'b'), { minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(parts, parts, (written, asked) => {
        const normal = posix.normalize(written.join('/')).replace(/^\/+|\/$/g, '')
        const path = asked.filter((part) => part.length === 1 && part !== '.').join('/') || 'a'
        expect(new IgnoreRules([written.join('/')]).ignores(path)).toBe(
          normal !== '' && normal !== '.' && (path === normal || path.startsWith(`${normal}/`)),
        )
      }),
    )
  })

  test('are limited in number', () => {
    expect(() => new IgnoreRules(Array.from({ length: 2001 }, (_, at) => `f${at}`))).toThrow(/more than 2000 patterns/)
  })
})
