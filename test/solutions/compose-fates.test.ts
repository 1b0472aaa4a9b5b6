import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FATES } from '../../src/solutions/compose/fates.ts'

interface Node {
  $ref?: string
  properties?: Record<string, Node>
  patternProperties?: Record<string, Node>
  additionalProperties?: Node | boolean
  items?: Node
  oneOf?: Node[]
  anyOf?: Node[]
  allOf?: Node[]
}

const SPECIFICATION = join(import.meta.dirname, '../../src/solutions/compose/compose-spec.json')
const ROOT: Node & { definitions?: Record<string, Node>; $defs?: Record<string, Node> } = JSON.parse(
  readFileSync(SPECIFICATION, 'utf8'),
)
const definition = (name: string) => ROOT.definitions?.[name] ?? ROOT.$defs?.[name]
const opened = (node: Node): Node => (node.$ref ? opened(definition(node.$ref.split('/').at(-1) ?? '') ?? {}) : node)

/** Every field that the schema names, unless one above it is refused or has no effect as a whole. */
function fieldsOf(given: Node, place: string, found = new Set<string>(), depth = 0): Set<string> {
  const node = opened(given)
  if (depth > 15) return found
  for (const one of [...(node.oneOf ?? []), ...(node.anyOf ?? []), ...(node.allOf ?? [])])
    fieldsOf(one, place, found, depth + 1)
  for (const [name, inside] of Object.entries(node.properties ?? {})) {
    const field = place === '' ? name : `${place}.${name}`
    found.add(field)
    if (FATES[field]?.fate === 'honoured') fieldsOf(inside, field, found, depth + 1)
  }
  const others = [
    ...Object.entries(node.patternProperties ?? {}).flatMap(([pattern, inside]) => (pattern === '^x-' ? [] : [inside])),
    ...(typeof node.additionalProperties === 'object' ? [node.additionalProperties] : []),
    ...(node.items ? [node.items] : []),
  ]
  for (const inside of others) fieldsOf(inside, `${place}.*`, found, depth + 1)
  return found
}

const fields = [...fieldsOf(ROOT, '')].sort()

test('every field of the specification has a fate, and no other has one', () => {
  expect(fields.length).toBeGreaterThan(150)
  expect(Object.keys(FATES).sort()).toEqual(fields)
})
