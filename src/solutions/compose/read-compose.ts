import { type Document, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { type ComposeProblems, type Fields, isObject } from './compose-problems.ts'

/** Aliases that may be expanded: a few lines could otherwise become gigabytes. */
const MAX_ALIASES = 100
/** What is nested on one line takes quadratic time to read; deeper nesting needs longer lines or more of them. */
const MAX_LINE_LENGTH = 2_048
/** Ten services have fewer. */
const MAX_LINES = 2_000
/** That are open at a place, or closed without having been opened, in texts or not. */
const MAX_BRACKETS = 100
/** Of a file that is no YAML, after which nobody reads on. */
const MAX_ERRORS = 10
/** Characters of all texts with their variables filled in. */
const MAX_FILLED = 262_144
const TOP_LEVEL = ['name', 'networks', 'services', 'version', 'volumes']
/** `$$`, `$NAME`, `${NAME}`, and `${NAME:-default}` with its relatives. */
const VARIABLE = /\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w{0,99})(?:(:?[-?+])([^}]{0,500}))?\})/g

/** The services of a compose file, with its variables filled in. */
export function readCompose(text: string, given: Readonly<Record<string, string>>, problems: ComposeProblems): Fields {
  const read = parse(text, problems)
  if (!isObject(read) || !isObject(read.services) || Object.keys(read.services).length === 0) {
    if (problems.found.length === 0) problems.add('', 'must be a compose file with at least one service')
    return {}
  }
  for (const name of Object.keys(read).filter((one) => !TOP_LEVEL.includes(one) && !one.startsWith('x-')))
    problems.add(name, 'is not supported: files come with the image, secrets are variables')
  checkExternal('volumes', read.volumes, problems)
  checkExternal('networks', read.networks, problems)
  const filling: Filling = { given, missing: new Set(), length: 0 }
  const filled = fill(read.services, filling)
  if (filling.length > MAX_FILLED)
    problems.add('', `has more than ${MAX_FILLED} characters with its variables filled in`)
  for (const name of [...filling.missing].sort())
    problems.found.push({ field: `variables.${name}`, message: 'is required: the compose file uses it' })
  return filled as Fields
}

function parse(text: string, problems: ComposeProblems): unknown {
  const costly = costOf(text)
  if (costly) {
    problems.add('', costly)
    return null
  }
  const lineCounter = new LineCounter()
  // The library compares each key of a map with each other one.
  const document = parseDocument(text, { merge: true, uniqueKeys: false, lineCounter, prettyErrors: false })
  for (const { message, pos } of document.errors.slice(0, MAX_ERRORS))
    problems.add('', `is no YAML on line ${lineCounter.linePos(pos[0]).line}: ${message}`)
  if (document.errors.length > 0) return null
  const wrong = wrongKey(document)
  if (wrong) {
    const line = lineCounter.linePos(wrong.at).line
    problems.add('', wrong.isTwice ? `is no YAML on line ${line}: Map keys must be unique` : OTHER_KEY)
    return null
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    problems.add('', `is no YAML: ${error instanceof Error ? error.message : error}`)
    return null
  }
}

/** Why the text would take the library long, where it would; by one look at each character. */
function costOf(text: string): string | null {
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) return `has more than ${MAX_LINES} lines`
  const long = lines.findIndex((line) => line.length > MAX_LINE_LENGTH)
  if (long >= 0) return `has more than ${MAX_LINE_LENGTH} characters on line ${long + 1}`
  let [depth, unopened] = [0, 0]
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

function checkExternal(kind: string, declared: unknown, problems: ComposeProblems): void {
  for (const [name, one] of Object.entries(isObject(declared) ? declared : {})) {
    if (!isObject(one)) continue
    if (one.external) problems.add(`${kind}.${name}.external`, 'is not supported: it exists on the host alone')
    if (kind === 'volumes' && one.driver_opts)
      problems.add(`${kind}.${name}.driver_opts`, 'is not supported: volumes are made by Berth')
  }
}

interface Filling {
  given: Readonly<Record<string, string>>
  missing: Set<string>
  length: number
}

/** Names, which are keys, are never filled in. */
function fill(value: unknown, filling: Filling): unknown {
  if (typeof value === 'string') return fillText(value, filling)
  if (Array.isArray(value)) return value.map((one) => fill(one, filling))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, filling)]))
}

function fillText(text: string, filling: Filling): string {
  const { given, missing } = filling
  const filled = text.replace(VARIABLE, (_whole, dollar, plain, braced, kind = '', other = '') => {
    if (dollar) return '$'
    const name: string = plain ?? braced
    const value = filling.length > MAX_FILLED ? '' : given[name]
    filling.length += value?.length ?? 0
    const isThere = value !== undefined && !(kind.startsWith(':') && value === '')
    if (kind.endsWith('+')) return isThere ? other : ''
    if (isThere) return value
    if (kind.endsWith('-')) return other
    missing.add(name)
    return ''
  })
  return filled
}
