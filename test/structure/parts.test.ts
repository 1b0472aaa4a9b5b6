import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import config from '../../vitest.config.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Part {
  name: string
  include: string[]
  exclude: string[]
}

const parts: Part[] = (config.test?.projects ?? []).map((project) => {
  const { name = '', include = [], exclude = [] } = (project as { test: Partial<Part> }).test
  return { name, include, exclude }
})

const found = (patterns: string[]) => globSync(patterns, { cwd: ROOT })

function filesOf({ include, exclude }: Part): string[] {
  const excluded = new Set(found(exclude))
  return found(include).filter((file) => !excluded.has(file))
}

/** It runs the shipped suite again, against another composition of processes. */
const isAgain = ({ name }: Part) => name === 'shipped-apart'

test('every test file belongs to one part of the suite', () => {
  const counts = new Map(found(['test/**/*.test.ts']).map((file) => [file, 0]))
  expect(counts.size).toBeGreaterThan(300)
  for (const part of parts.filter((one) => !isAgain(one))) {
    for (const file of filesOf(part)) counts.set(file, (counts.get(file) ?? 0) + 1)
  }
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([])
})

test('no list of vitest.config.ts names a file that is gone', () => {
  const patterns = parts.flatMap(({ include }) => include).flatMap(alternatives)
  expect(patterns.length).toBeGreaterThan(30)
  expect(patterns.filter((pattern) => found([pattern]).length === 0)).toEqual([])
})

/** `a/{b,c}.test.ts` is `a/b.test.ts` and `a/c.test.ts`. */
function alternatives(pattern: string): string[] {
  const [all = '', inner = ''] = /\{([^{}]*)\}/.exec(pattern) ?? []
  return all ? inner.split(',').flatMap((one) => alternatives(pattern.replace(all, one))) : [pattern]
}
