import { readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

interface Syntax {
  type: string
  start: number
  argument?: Syntax
}

const CONTAINERS: Readonly<Record<string, string>> = { ObjectExpression: 'properties', ArrayExpression: 'elements' }

/** Places where a literal is spread into a literal of its own kind, which one entry a line says plainly. */
function spreadLiterals(node: unknown): number[] {
  if (Array.isArray(node)) return node.flatMap(spreadLiterals)
  if (typeof node !== 'object' || node === null) return []
  const { type } = node as Syntax
  const list = CONTAINERS[type]
  const entries = (list ? (node as Record<string, unknown>)[list] : []) as (Syntax | null)[]
  const own = entries.filter((one) => one?.type === 'SpreadElement' && one.argument?.type === type)
  return [...own.map((one) => one?.start ?? 0), ...Object.values(node).flatMap(spreadLiterals)]
}

test('no literal is spread into another', () => {
  const programs = sourceFiles().filter(({ path }) => path.endsWith('.ts'))
  const found = programs.flatMap(({ path, absolutePath }) => {
    const text = readFileSync(absolutePath, 'utf8')
    return spreadLiterals(parseAst(text, { lang: 'ts' })).map(
      (start) => `${path}:${text.slice(0, start).split('\n').length}`,
    )
  })
  expect(found).toEqual([])
})
