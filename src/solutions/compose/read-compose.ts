import { type Document, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { type ComposeProblems, type Fields, isObject } from './compose-problems.ts'
import { isExtension, patternOf } from './fates.ts'
import { type Filling, interpolate, MAX_FILLED } from './interpolate.ts'
import { validateCompose } from './validate-compose.ts'

/** Aliases that may be expanded: a few lines could otherwise become gigabytes. */
const MAX_ALIASES = 100
/** What is nested on one line takes quadratic time to read; deeper nesting needs longer lines or more of them. */
const MAX_LINE_LENGTH = 2_048
/** Ten services have fewer. */
const MAX_LINES = 2_000
/** That are open at a place, or closed without having been opened, in texts or not. */
const MAX_BRACKETS = 100
/** As many components as a solution may have. */
export const MAX_SERVICES = 10
/** Entries of lists and objects, with those of aliases: the schema compares each entry of some lists with each other one. */
const MAX_VALUES = 5_000
/** Of a file that is no YAML, after which the rest means nothing. */
const MAX_ERRORS = 10

/** A compose file, with its variables filled in and each scalar as it is written; without what the schema refuses. */
export function readCompose(text: string, given: Readonly<Record<string, string>>, problems: ComposeProblems): Fields {
  const file = parse(text, problems)
  if (!file) return {}
  const { typed, written } = file
  if (!isObject(typed) || !isObject(typed.services) || Object.keys(typed.services).length === 0) {
    problems.add('', 'must be a compose file with at least one service')
    return {}
  }
  const services = Object.keys(typed.services).length
  if (services > MAX_SERVICES)
    problems.add('services', `has ${services} services; at most ${MAX_SERVICES} are installed`)
  if (!hasAtMost(typed, MAX_VALUES))
    problems.add('', `has more than ${MAX_VALUES} values with its aliases; leave out what is not needed`)
  if (problems.found.length > 0) return {}
  const filling: Filling = { given, missing: new Map(), length: 0 }
  const filled = fill(written, { place: '', pattern: '' }, filling, problems)
  if (filling.length > MAX_FILLED)
    problems.add('', `has more than ${MAX_FILLED} characters with its variables filled in`)
  for (const [name, why] of [...filling.missing].sort(([one], [other]) => (one < other ? -1 : 1)))
    problems.addVariable(name, `is required: ${why === '' ? 'the compose file uses it' : why}`)
  validateCompose(withFilled(typed, filled), problems)
  return withoutWrong(filled, '', problems) as Fields
}

/** What the parser takes the values for, and how they are written: 1.10 is a number, and the text of a version. */
interface Parsed {
  typed: unknown
  written: unknown
}

function parse(text: string, problems: ComposeProblems): Parsed | null {
  const costly = costOf(text)
  if (costly) {
    problems.add('', costly)
    return null
  }
  const lineCounter = new LineCounter()
  // The library compares each key of a map with each other one.
  const document = parseDocument(text, { merge: true, uniqueKeys: false, lineCounter, prettyErrors: false })
  // A tag that nothing knows, such as compose's !reset, is a warning: the value would be read without it.
  for (const { message, pos } of [...document.errors, ...document.warnings].slice(0, MAX_ERRORS))
    problems.add('', `is no YAML on line ${lineCounter.linePos(pos[0]).line}: ${message}`)
  if (problems.found.length > 0) return null
  nameByText(document)
  const wrong = wrongKey(document)
  if (wrong) {
    const line = lineCounter.linePos(wrong.at).line
    problems.add('', wrong.isTwice ? `is no YAML on line ${line}: Map keys must be unique` : OTHER_KEY)
    return null
  }
  try {
    const typed = document.toJS({ maxAliasCount: MAX_ALIASES })
    const odd = oddValue(typed)
    if (odd !== null) {
      problems.add(odd, 'has a tag of YAML that compose files do not have')
      return null
    }
    keepAsWritten(document)
    return { typed, written: document.toJS({ maxAliasCount: MAX_ALIASES }) }
  } catch (error) {
    problems.add('', `is no YAML: ${error instanceof Error ? error.message : error}`)
    return null
  }
}

/** Names are texts, also those that YAML takes for numbers: 1.0 is no 1. */
function nameByText(document: Document): void {
  visit(document, {
    Pair(_key, { key }) {
      if (isScalar(key) && typeof key.value !== 'string') key.value = key.source ?? String(key.value)
    },
  })
}

/** The place of a value that JSON does not have, such as an ordered map or a set; null where there is none. */
function oddValue(value: unknown, place = ''): string | null {
  if (typeof value !== 'object' || value === null) return null
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return place
  for (const [name, one] of Object.entries(value)) {
    const odd = oddValue(one, below(place, name))
    if (odd !== null) return odd
  }
  return null
}

/** Whether the value has at most so many entries, those of its entries included. Goes no further. */
function hasAtMost(value: unknown, most: number): boolean {
  const waiting: unknown[] = [value]
  for (let count = 0; waiting.length > 0; ) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null) continue
    const entries = Object.values(one)
    count += entries.length
    if (count > most) return false
    waiting.push(...entries)
  }
  return true
}

/** Numbers and booleans become the text that stands in the file. */
function keepAsWritten(document: Document): void {
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value !== 'string' && node.value !== null) node.value = node.source ?? String(node.value)
    },
  })
}

/** Why the text would take the library long, where it would; by one look at each character. */
function costOf(text: string): string | null {
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) return `has more than ${MAX_LINES} lines`
  const long = lines.findIndex((line) => line.length > MAX_LINE_LENGTH)
  if (long >= 0) return `has more than ${MAX_LINE_LENGTH} characters on line ${long + 1}`
  let depth = 0
  let unopened = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') depth += 1
    else if (depth > 0) depth -= 1
    else unopened += 1
    if (Math.max(depth, unopened) > MAX_BRACKETS)
      return `has more than ${MAX_BRACKETS} brackets without their other half`
  }
  return null
}

/** As names of fields they become texts, each of which holds the text of those inside it twice. */
const OTHER_KEY = 'has a list or an object for the name of a field'

/** The first key of a map that is no name, or that the map has twice. */
function wrongKey(document: Document): { at: number; isTwice: boolean } | null {
  let wrong: { at: number; isTwice: boolean } | null = null
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        const isName = isScalar(key)
        const isMerge = isName && key.value === '<<'
        if (isName && (isMerge || !seen.has(key.value))) seen.add(key.value)
        else wrong ??= { at: (key as Node | null)?.range?.[0] ?? 0, isTwice: isName }
      }
      return wrong ? visit.BREAK : undefined
    },
  })
  return wrong
}

const below = (place: string, name: string | number) => (place === '' ? String(name) : `${place}.${name}`)

interface Where {
  place: string
  /** The same with `*` for names of one's own. */
  pattern: string
}

/** Names, which are keys, are never filled in; nor are extensions, which mean nothing by themselves. */
function fill(value: unknown, { place, pattern }: Where, filling: Filling, problems: ComposeProblems): unknown {
  if (typeof value === 'string') return interpolate(value, place, filling, problems)
  if (Array.isArray(value))
    return value.map((one, index) =>
      fill(one, { place: below(place, index), pattern: `${pattern}.*` }, filling, problems),
    )
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isExtension(name, pattern)
        ? null
        : fill(one, { place: below(place, name), pattern: patternOf(name, pattern) }, filling, problems),
    ]),
  )
}

/** For the schema: what the parser takes values for, except where they are texts, which may have had variables. */
function withFilled(typed: unknown, filled: unknown): unknown {
  // Extensions are not filled in.
  if (typeof typed === 'string' || filled === null) return filled
  if (Array.isArray(typed)) return typed.map((one, index) => withFilled(one, (filled as unknown[])[index]))
  if (!isObject(typed)) return typed
  return Object.fromEntries(
    Object.entries(typed).map(([name, one]) => [name, withFilled(one, (filled as Fields)[name])]),
  )
}

/** Leaves out what is wrong, so that all else is read, and judged in the same answer. Entries of lists keep their number. */
function withoutWrong(value: unknown, place: string, problems: ComposeProblems): unknown {
  if (place !== '' && !problems.has(place)) return value
  if (problems.isAt(place)) return undefined
  if (Array.isArray(value)) return value.map((one, index) => withoutWrong(one, below(place, index), problems))
  if (!isObject(value)) return value
  const kept = Object.entries(value).map(
    ([name, one]) => [name, withoutWrong(one, below(place, name), problems)] as const,
  )
  return Object.fromEntries(kept.filter(([, one]) => one !== undefined))
}
