import { type LogLevel, levelOfNumber, levelOfWord } from './log-level.ts'

/** A field of a line: text as it is, anything else as JSON. */
export interface LineField {
  name: string
  value: string
}

/** What a line of JSON or logfmt says. */
export interface StructuredLine {
  level: LogLevel | null
  /** Its message; null where no field is one. */
  text: string | null
  /** All of its fields, in their order. */
  fields: LineField[]
}

/** Longer lines come in pieces, which are neither. */
const MAX_LENGTH = 16_384
/** Further fields are left out. */
const MAX_FIELDS = 100

/** In the order in which they are asked for. */
const LEVEL_FIELDS = ['level', 'severity', 'lvl', 'log.level', 'levelname', 'loglevel', '@l']
const TEXT_FIELDS = ['msg', 'message', 'short_message', '@m', 'event']

/** What a line says in JSON or logfmt; null for any other line. Linear in its length, and never throws. */
export function structuredLine(line: string): StructuredLine | null {
  if (line.length > MAX_LENGTH) return null
  const values = line.startsWith('{') ? jsonFields(line) : logfmtFields(line)
  if (!values) return null
  const text = first(values, TEXT_FIELDS)
  return {
    level: levelIn(values),
    text: typeof text === 'string' ? text : null,
    fields: [...values].slice(0, MAX_FIELDS).map(([name, value]) => {
      return { name, value: typeof value === 'string' ? value : JSON.stringify(value) }
    }),
  }
}

/** The level alone, which costs a line that names none little. */
export function structuredLevel(line: string): LogLevel | null {
  if (line.length > MAX_LENGTH || !MAY_NAME.test(line)) return null
  const values = line.startsWith('{') ? jsonFields(line) : logfmtFields(line)
  return values ? levelIn(values) : null
}

/** Some name of a level, as it stands in JSON or in logfmt. */
const MAY_NAME = /level|severity|lvl|@l/

type Values = ReadonlyMap<string, unknown>

function first(values: Values, names: readonly string[]): unknown {
  for (const name of names) if (values.has(name)) return values.get(name)
}

function levelIn(values: Values): LogLevel | null {
  const level = first(values, LEVEL_FIELDS)
  return typeof level === 'string' ? levelOfWord(level) : typeof level === 'number' ? levelOfNumber(level) : null
}

/** Of deeper ones, writing a value as text takes a thousand times as long as reading it. */
const MAX_DEPTH = 50

function isTooDeep(json: string): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') isText = !isText
    else if (isText && character === '\\') at += 1
    else if (!isText && (character === '{' || character === '[')) depth += 1
    else if (!isText && (character === '}' || character === ']')) depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

function jsonFields(line: string): Values | null {
  if (isTooDeep(line)) return null
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null ? withDotted(new Map(Object.entries(parsed))) : null
  } catch {
    return null
  }
}

/** The Elastic Common Schema writes `log.level` in either way. */
function withDotted(values: Map<string, unknown>): Values {
  const log = values.get('log')
  const level = typeof log === 'object' && log !== null && 'level' in log ? log.level : undefined
  return level === undefined || values.has('log.level') ? values : new Map([...values, ['log.level', level]])
}

/**
 * The fields of logfmt: `key=value`, `key="value with \"quotes\""`, or `key` alone, which means true. A line counts as such
 * if it begins with a pair, has another one, and has nothing else: an address with a query is none.
 */
function logfmtFields(line: string): Values | null {
  const values = new Map<string, unknown>()
  let pairs = 0
  let at = skipBlanks(line, 0)
  while (at < line.length) {
    const end = endOfKey(line, at)
    const key = line.slice(at, end)
    if (!KEY.test(key)) return null
    const isPair = line[end] === '='
    if (!isPair && pairs === 0) return null
    const value = isPair ? valueAt(line, end + 1) : { text: 'true', end }
    if (!value) return null
    // Of a key that is there twice, the last one counts, as in JSON.
    values.set(key, value.text)
    if (isPair) pairs += 1
    if (value.end < line.length && !isBlank(line, value.end)) return null
    at = skipBlanks(line, value.end)
  }
  return pairs >= 2 ? values : null
}

const KEY = /^[A-Za-z_@][\w.@/-]{0,99}$/

const isBlank = (line: string, at: number) => line.charCodeAt(at) <= 32

function skipBlanks(line: string, from: number): number {
  let at = from
  while (at < line.length && isBlank(line, at)) at += 1
  return at
}

function endOfKey(line: string, from: number): number {
  let at = from
  while (at < line.length && !isBlank(line, at) && line[at] !== '=' && line[at] !== '"') at += 1
  return at
}

interface Value {
  text: string
  /** Where what follows begins. */
  end: number
}

/** Null where a quote is not closed. */
function valueAt(line: string, from: number): Value | null {
  if (line[from] !== '"') {
    let end = from
    while (end < line.length && !isBlank(line, end)) {
      if (line[end] === '"') return null
      end += 1
    }
    return { text: line.slice(from, end), end }
  }
  let end = from + 1
  while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1
  if (end >= line.length) return null
  const quoted = line.slice(from, end + 1)
  if (!quoted.includes('\\')) return { text: quoted.slice(1, -1), end: end + 1 }
  try {
    return { text: JSON.parse(quoted) as string, end: end + 1 }
  } catch {
    // Escapes that JSON does not have stand as they are.
    return { text: quoted.slice(1, -1), end: end + 1 }
  }
}
