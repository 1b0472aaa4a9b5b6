// Plain JavaScript, because the supervisor, which runs on an older Node.js, writes such lines as well.

const LEVELS = { 10: 'trace', 20: 'debug', 40: 'warn', 50: 'error', 60: 'fatal' }
const LEVEL_COLOURS = { 10: 2, 20: 2, 40: 33, 50: 31, 60: 31 }
const [DIM, CYAN] = [2, 36]
/** As long as the longest name of a process. */
const NAME_WIDTH = 'supervisor'.length
/** What an error has beside these is in its message, or is shown as its stack. */
const NOT_SHOWN = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err'])
/** A list of many things is cut; the JSON has it all. */
const MAX_VALUE = 160
const PLAIN = /^[^\s"=]+$/

/**
 * A line of the log for people: time, process, message, and what it is about.
 * `record`: the line's JSON, as an object.
 */
export function readableLine(record, { hasColours = false } = {}) {
  const paint = (code, text) => (hasColours && text ? `\x1b[${code}m${text}\x1b[0m` : text)
  const { message, about } = record.method ? aboutRequest(record) : { message: record.msg ?? '', about: record }
  const level = LEVELS[record.level] ?? ''
  const fields = Object.entries(about).filter(
    ([key, value]) => !NOT_SHOWN.has(key) && value !== undefined && value !== null,
  )
  const parts = [
    paint(DIM, timeOf(record.time)),
    paint(CYAN, printable(record.name ?? '').padEnd(NAME_WIDTH)),
    paint(LEVEL_COLOURS[record.level] ?? 0, level),
    indented([message, errorMessage(record.err)].filter(Boolean).join(': ')),
    paint(DIM, fields.map(([key, value]) => `${key}=${shown(value)}`).join(' ')),
  ]
  const stack = record.err?.stack ? `\n${paint(DIM, `  ${indented(record.err.stack)}`)}` : ''
  return `${parts.filter(Boolean).join('  ')}${stack}\n`
}

/** Ids matter only where something went wrong. */
function aboutRequest({ method, path, status, ms, tool, requestId, tokenId }) {
  const message = `${method} ${path} ${status} (${ms} ms)`
  return { message, about: { tool, ...(status >= 400 ? { requestId, tokenId } : {}) } }
}

/** Libraries separate by empty lines what they were called with, and what happened. */
const errorMessage = (error) =>
  error?.message?.trim().replace(/\s+/g, (space) => (space.indexOf('\n') === space.lastIndexOf('\n') ? space : ' '))

function timeOf(time) {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => `${part}`.padStart(2, '0')).join(':')
}

function shown(value) {
  const text = typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)
  return printable(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text)
}

/** Later lines of a text stand under the first, so that none passes for a line of the log. */
const indented = (text) => String(text).trim().split('\n').map(printable).join('\n  ')

/** Containers and registries are quoted here: what they wrote must not steer a terminal. */
const printable = (text) =>
  text.replace(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Whether lines are for people: BERTH_LOG_FORMAT, or what standard output is. */
export function isReadable(format, output = process.stdout) {
  return format === 'text' || (format !== 'json' && output.isTTY === true)
}

/** As https://no-color.org has it. */
export const hasColours = (output = process.stdout) =>
  output.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
