import fc from 'fast-check'
import { ODD_VALUES, STRINGS } from './corpus.ts'
import type { Draw } from './draw.ts'

type Holder = Record<string, unknown>

/** Every position in a value, as its parent and the key. */
function positionsIn(value: unknown, found: [Holder, string][] = []): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return found
  for (const [key, item] of Object.entries(value)) {
    found.push([value as Holder, key])
    positionsIn(item, found)
  }
  return found
}

/** Any value at all, mostly ones that have hurt somebody before. */
export function oddValue(draw: Draw): unknown {
  if (draw.chance(0.5)) return draw.one(STRINGS)
  // A copy: what is put into it later must not stay in the corpus.
  return draw.chance(0.7) ? structuredClone(draw.one(ODD_VALUES)) : draw.from(fc.jsonValue)
}

/** The same input with something wrong in it: a value replaced, a field missing, or one too many. */
export function spoil<T extends object>(draw: Draw, input: T): T {
  const spoiled = structuredClone(input)
  for (let times = draw.whole(0, 2); times > 0; times -= 1) {
    const all = positionsIn(spoiled)
    const [holder, key] = all.length > 0 ? draw.one(all) : [spoiled as Holder, 'other']
    if (draw.chance(0.7)) put(holder, key, oddValue(draw))
    else if (draw.chance(0.5)) delete holder[key]
    else put(spoiled as Holder, draw.one([...STRINGS, 'dryRun', 'id', 'version']), oddValue(draw))
  }
  return spoiled
}

/** Not by assignment, which would make `__proto__` no field at all. */
const put = (holder: Holder, key: string, value: unknown) =>
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })

const SPLINTERS = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u0000',
  '\\ud800',
  '\u0000',
  '\uFEFF',
  '//',
  'NaN',
  '1e999',
  "'",
]

/** A text with a character lost, doubled, or strange. */
export function chip(draw: Draw, text: string): string {
  const at = draw.whole(0, text.length)
  const rest = draw.one([0, 1, 1, 5, text.length])
  return text.slice(0, at) + (draw.chance(0.8) ? draw.one(SPLINTERS) : '') + text.slice(at + rest)
}
