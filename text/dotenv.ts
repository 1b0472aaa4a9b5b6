/**
 * The text of a `.env` file, as the npm package dotenv reads it: comments, `export`, values in `'`, `"` or backticks over
 * several lines, `\n` and `\r` in double quotes, and `#` as the start of a comment outside of quotes. It differs where
 * dotenv guesses or drops: a line that assigns nothing, a quote without its other half, text behind a closing quote and a
 * name that comes twice are problems, with their line. A value that no such quotes hold is written as shells have it,
 * `$'…'`. Own code, because dotenv and its like give neither lines nor comments, and write nothing.
 */

/** An assignment, and where it stands in the text. */
export interface DotenvEntry {
  name: string
  value: string
  /** Of its name, counted from 1. */
  line: number
  /** Where its line begins, where its value does, and where it ends: before a comment behind it, or the line’s end. */
  start: number
  valueStart: number
  end: number
}

export interface DotenvProblem {
  line: number
  message: string
}

export interface Dotenv {
  /** In the order of the text; a name that comes twice is there twice. */
  entries: DotenvEntry[]
  problems: DotenvProblem[]
}

interface Assigned {
  name: string
  value: string
}

const ASSIGNMENT = /^(\s*(?:export[^\S\n]+)?)([^\s=#"'`]+?)(?:[^\S\n]*=|:(?=[^\S\n]))[^\S\n]*/
const NOTHING = /^[^\S\n]*(?:#.*)?$/
/** At a place in the text, so that no rest of a line is looked at twice. */
const LINE_ENDS = /[^\S\n]*(?:#|\n|$)/y
const NAME = /^[^\s=#"'`]+$/

/** Whether the name can stand in such a file; others can be set by the API alone. */
export const isDotenvName = (name: string): boolean => NAME.test(name)

/** Line ends as the file’s entries count them: CRLF and CR are one. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Offsets are those of the text with line feeds alone. */
export function parseDotenv(given: string): Dotenv {
  const text = withLineFeeds(given.replace(/^\uFEFF/, ''))
  const entries: DotenvEntry[] = []
  const problems: DotenvProblem[] = []
  const lineOf = new Map<string, number>()
  let line = 1
  let start = 0
  while (start <= text.length) {
    const read = readLine(text, start, line)
    if ('message' in read) problems.push(read)
    else if ('name' in read) {
      const earlier = lineOf.get(read.name)
      if (earlier !== undefined)
        problems.push({ line, message: `${read.name} stands in line ${earlier} already; keep one of the two` })
      else lineOf.set(read.name, line)
      entries.push(read)
    }
    const end = endOfLine(text, 'end' in read ? read.end : start)
    line += countLines(text, start, end)
    start = end + 1
  }
  return { entries, problems }
}

function readLine(text: string, start: number, line: number): DotenvEntry | DotenvProblem | { end: number } {
  const lineEnd = endOfLine(text, start)
  const written = text.slice(start, lineEnd)
  if (NOTHING.test(written)) return { end: start }
  const [assignment, , name] = ASSIGNMENT.exec(written) ?? []
  if (assignment === undefined || name === undefined)
    return { line, message: 'is no assignment: write NAME=value, or # before a comment' }
  const valueStart = start + assignment.length
  const found = readValue(text, valueStart, lineEnd)
  if (typeof found === 'string') return { line, message: `${name} ${found}` }
  return { name, line, start, valueStart, ...found }
}

function readValue(text: string, from: number, lineEnd: number): { value: string; end: number } | string {
  const rest = text.slice(from, lineEnd)
  const quote = rest.charAt(0)
  if (quote === "'" || quote === '"' || quote === '`') return readQuoted(text, from, quote)
  const shell = SHELL_QUOTED.exec(rest)
  if (shell) return { value: unescapeShell(shell[1] ?? ''), end: from + (shell[0] ?? '').trimEnd().length }
  const value = (rest.split('#', 1)[0] ?? '').trimEnd()
  return { value, end: from + value.length }
}

/**
 * The closing quote is the first without a backslash before it. Where that one is not at the end, or there is none, it is
 * the last before it that is: `"C:\dir\"` ends with a backslash.
 */
function readQuoted(text: string, from: number, quote: string): { value: string; end: number } | string {
  const candidates: number[] = []
  for (let at = text.indexOf(quote, from + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    candidates.push(at)
    if (text.charAt(at - 1) !== '\\' || at - 1 === from) break
  }
  const closing = candidates.findLast((at) => {
    LINE_ENDS.lastIndex = at + 1
    return LINE_ENDS.test(text)
  })
  if (closing === undefined)
    return candidates.length > 0
      ? `has text behind its closing ${quote}: quote the whole value`
      : `has no closing ${quote}`
  const inner = text.slice(from + 1, closing)
  const value = quote === '"' ? inner.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : inner
  return { value, end: closing + 1 }
}

/** `$'…'`, where dotenv would take the characters as they are. */
const SHELL_QUOTED = /^\$'((?:[^'\\]|\\[\\'nr])*)'[^\S\n]*(?:#.*)?$/

const unescapeShell = (inner: string): string =>
  inner.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped === 'r' ? '\r' : escaped))

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

function countLines(text: string, from: number, to: number): number {
  let count = 1
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** One assignment a line, in the order given. Names that no file can hold are left out. */
export const formatDotenv = (variables: readonly Assigned[]): string =>
  variables
    .filter(({ name }) => isDotenvName(name))
    .map((variable) => `${assignmentOf(variable)}\n`)
    .join('')

const assignmentOf = ({ name, value }: Assigned): string => `${name}=${quoted(value)}`

/** As it is where that can be; else in quotes, which dotenv reads as this does. */
function quoted(value: string): string {
  const isPlain = !/[\n\r#\u2028\u2029]/.test(value) && value === value.trim() && !/^(?:['"`]|\$')/.test(value)
  if (isPlain) return value
  // A backslash at the end would escape the quote.
  const takesQuotes = !value.endsWith('\\')
  const isLiteral = takesQuotes && !value.includes('\r')
  if (takesQuotes && !value.includes('"') && !/\\[nr]/.test(value)) return `"${value.replaceAll('\r', '\\r')}"`
  if (isLiteral && !value.includes("'")) return `'${value}'`
  if (isLiteral && !value.includes('`')) return `\`${value}\``
  const escaped = value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `$'${escaped}'`
}

/**
 * The text with these variables in place of its own: what has not changed stays as it is written, with comments and order;
 * what is new comes last, what is gone goes with its line.
 */
export function rewriteDotenv(given: string, variables: readonly Assigned[]): string {
  const text = withLineFeeds(given.replace(/^\uFEFF/, ''))
  const values = new Map(variables.map(({ name, value }) => [name, value]))
  let written = ''
  let at = 0
  for (const { name, value, start, valueStart, end } of parseDotenv(text).entries) {
    const next = values.get(name)
    values.delete(name)
    if (next === value) continue
    const whole = endOfLine(text, end)
    written += text.slice(at, next === undefined ? start : valueStart)
    if (next !== undefined) written += quoted(next)
    at = next === undefined ? Math.min(text.length, whole + 1) : end
  }
  written += text.slice(at)
  const added = formatDotenv([...values].map(([name, value]) => ({ name, value })))
  return added && written && !written.endsWith('\n') ? `${written}\n${added}` : written + added
}
