import { isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { type ComposeProblems, type Fields, isObject } from './compose-problems.ts'

/** Aliases that may be expanded: a few lines could otherwise become gigabytes. */
const MAX_ALIASES = 100
/** What is nested on one line takes quadratic time to read; deeper nesting needs longer lines or more of them. */
const MAX_LINE_LENGTH = 2_048
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
  const long = text.split('\n').findIndex((line) => line.length > MAX_LINE_LENGTH)
  if (long >= 0) {
    problems.add('', `has more than ${MAX_LINE_LENGTH} characters on line ${long + 1}`)
    return null
  }
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { merge: true, lineCounter, prettyErrors: false })
  for (const { message, pos } of document.errors.slice(0, MAX_ERRORS))
    problems.add('', `is no YAML on line ${lineCounter.linePos(pos[0]).line}: ${message}`)
  if (document.errors.length > 0) return null
  // As names of fields they become texts, each of which holds the text of those inside it twice.
  let hasOtherKeys = false
  visit(document, {
    Pair(_key, { key }) {
      if (isScalar(key)) return undefined
      hasOtherKeys = true
      return visit.BREAK
    },
  })
  if (hasOtherKeys) {
    problems.add('', 'has a list or an object for the name of a field')
    return null
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    problems.add('', `is no YAML: ${error instanceof Error ? error.message : error}`)
    return null
  }
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
