import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUploaded, uploadRules } from '../../console/src/environment/upload-rules.ts'
import { IgnoreRules } from '../../src/domain/ignore-rules.ts'

const kept = (dockerignore: string | null, paths: readonly string[]) => {
  const rules = uploadRules(dockerignore)
  return paths.filter((path) => isUploaded(rules, path))
}

test('the version control and secrets of the machine stay at home', () => {
  const paths = ['.git/config', 'lib/.git/HEAD', '.env', 'api/.env.local', 'src/main.ts', '.environment']
  expect(kept('', paths)).toEqual(['src/main.ts', '.environment'])
  expect(kept('!.env', paths)).toEqual(['.env', 'src/main.ts', '.environment'])
})

test('without rules, what the build installs is left out; with rules, they alone decide', () => {
  const paths = ['node_modules/a/index.js', 'web/node_modules/b.js', 'index.js']
  expect(kept(null, paths)).toEqual(['index.js'])
  expect(kept('dist', paths)).toEqual(paths)
})

test('the files that say how to build are uploaded, whatever the rules say', () => {
  const paths = [
    'Dockerfile',
    '.dockerignore',
    'Dockerfile.dockerignore',
    'deploy/web.Dockerfile',
    'README.md',
    'src/a',
  ]
  expect(kept('*\n!src', paths)).toEqual([
    'Dockerfile',
    '.dockerignore',
    'Dockerfile.dockerignore',
    'deploy/web.Dockerfile',
    'src/a',
  ])
})

test('a folder that need not be walked has nothing that is wanted', () => {
  const part = fc.constantFrom('a', 'b', 'c')
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  const line = fc.tuple(fc.constantFrom('', '!'), fc.constantFrom('', '**/', '*/'), path).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), path, (lines, asked) => {
      const rules = uploadRules(lines.join('\n'))
      const ignored = new IgnoreRules(lines).ignores(asked)
      expect(isUploaded(rules, asked)).toBe(!ignored)
      let above = rules
      for (const name of asked.split('/')) {
        const decision = above.below(name)
        if (decision.isWholeIgnored) expect(ignored).toBe(true)
        above = decision
      }
    }),
  )
})
