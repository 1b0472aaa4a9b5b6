import { parseDocument } from 'yaml'
import { type ComposeProblems, type Fields, isObject } from './compose-problems.ts'

/** Aliases that may be expanded: a few lines could otherwise become gigabytes. */
const MAX_ALIASES = 100
const TOP_LEVEL = ['name', 'networks', 'services', 'version', 'volumes']
/** `$$`, `$NAME`, `${NAME}`, and `${NAME:-default}` with its relatives. */
const VARIABLE = /\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\})/g

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
  const missing = new Set<string>()
  const filled = fill(read.services, given, missing)
  for (const name of [...missing].sort())
    problems.found.push({ field: `variables.${name}`, message: 'is required: the compose file uses it' })
  return filled as Fields
}

function parse(text: string, problems: ComposeProblems): unknown {
  const document = parseDocument(text, { merge: true })
  for (const { message } of document.errors) problems.add('', `is no YAML: ${message.split('\n')[0]}`)
  if (document.errors.length > 0) return null
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

/** Names, which are keys, are never filled in. */
function fill(value: unknown, given: Readonly<Record<string, string>>, missing: Set<string>): unknown {
  if (typeof value === 'string') return fillText(value, given, missing)
  if (Array.isArray(value)) return value.map((one) => fill(one, given, missing))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, given, missing)]))
}

const fillText = (text: string, given: Readonly<Record<string, string>>, missing: Set<string>): string =>
  text.replace(VARIABLE, (_whole, dollar, plain, braced, kind = '', other = '') => {
    if (dollar) return '$'
    const name: string = plain ?? braced
    const value = given[name]
    const isThere = value !== undefined && !(kind.startsWith(':') && value === '')
    if (kind.endsWith('+')) return isThere ? other : ''
    if (isThere) return value
    if (kind.endsWith('-')) return other
    missing.add(name)
    return ''
  })
