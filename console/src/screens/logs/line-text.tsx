import { memo, type ReactNode } from 'react'
import { structuredLine } from '../../../../src/domain/structured-line.ts'
import { shortContainerName } from '../../../../text/container-name.ts'
import { type TerminalRun, terminalPlainText, terminalRuns } from '../../../../text/terminal-text.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { formatTime } from '../../ui/time.tsx'
import type { LineRow } from './log-rows.ts'
import styles from './logs.module.css'

/** A shown line ends here, with a button for the rest. */
export const SHOWN_LENGTH = 32 * 1024
const MAX_FIELDS_SHOWN = 8
const MAX_VALUE_SHOWN = 100
/** What stands in columns of its own. */
const SAID_ELSEWHERE = new Set(
  'level severity lvl log.level levelname loglevel @l time timestamp ts @timestamp @t date'.split(' '),
)

const cut = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

export interface LineParts {
  runs: TerminalRun[]
  fields: { name: string; value: string }[]
  /** Characters that are not shown. */
  hidden: number
}

/** What is shown of a line: its text with its colours, or the message of a structured one, and its fields. */
export function partsOf(row: LineRow, isWhole: boolean): LineParts {
  const { message, isPartial } = row
  const line = isPartial ? null : structuredLine(message)
  if (line?.text != null) {
    const fields = line.fields.filter(({ name, value }) => !SAID_ELSEWHERE.has(name) && value !== line.text)
    return { runs: terminalRuns(line.text), fields, hidden: 0 }
  }
  const shown = isWhole ? message : cut(message, SHOWN_LENGTH)
  return { runs: terminalRuns(shown), fields: [], hidden: message.length - shown.length }
}

export const fieldsOf = ({ message, isPartial }: LineRow) =>
  isPartial ? null : (structuredLine(message)?.fields ?? null)

/** A line as it is copied: without control characters, and with its time and container where they are shown. */
export const copiedLine = ({ at, container, message }: LineRow, hidden: readonly string[]): string =>
  [
    hidden.includes('times') ? '' : new Date(at).toISOString(),
    hidden.includes('containers') ? '' : visibleText(container),
    terminalPlainText(message),
  ]
    .filter(Boolean)
    .join(' ')

export const contains = (text: string, query: string) =>
  query !== '' && text.toLowerCase().includes(query.toLowerCase())

/** Where the text has the query, in any case. */
function rangesOf(text: string, query: string): [start: number, end: number][] {
  const [hay, needle] = [text.toLowerCase(), query.toLowerCase()]
  // A few letters are longer in lower case: then places do not agree.
  if (needle === '' || hay.length !== text.length) return []
  const ranges: [number, number][] = []
  for (let at = hay.indexOf(needle); at >= 0 && ranges.length < 1_000; at = hay.indexOf(needle, at + needle.length))
    ranges.push([at, at + needle.length])
  return ranges
}

/** A text with its matches marked; `offset` is where it stands in the whole. */
function marked(text: string, offset: number, ranges: readonly [number, number][]): ReactNode {
  const parts: ReactNode[] = []
  let at = 0
  for (const [start, end] of ranges) {
    const from = Math.max(start - offset, at)
    const to = Math.min(end - offset, text.length)
    if (to <= from) continue
    if (from > at) parts.push(text.slice(at, from))
    parts.push(<mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  if (parts.length === 0) return text
  if (at < text.length) parts.push(text.slice(at))
  return parts
}

export function Runs({ runs, query }: { runs: readonly TerminalRun[]; query: string }) {
  const ranges = query === '' ? [] : rangesOf(runs.map(({ text }) => text).join(''), query)
  let offset = 0
  return runs.map(({ text, classes }, index) => {
    const shown = marked(text, offset, ranges)
    offset += text.length
    if (classes.length === 0) return shown
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a line that does not change
      <span key={index} className={classes.map((each) => styles[each]).join(' ')}>
        {shown}
      </span>
    )
  })
}

function Fields({ fields, query }: { fields: LineParts['fields']; query: string }) {
  const shown = fields.filter(({ name, value }, at) => at < MAX_FIELDS_SHOWN || contains(`${name}=${value}`, query))
  return shown.map(({ name, value }) => {
    const isLong = value.length > MAX_VALUE_SHOWN && !contains(value, query)
    const text = visibleText(`${name}=${isLong ? `${cut(value, MAX_VALUE_SHOWN)}…` : cut(value, SHOWN_LENGTH)}`)
    return (
      <span key={name} className={styles.field}>
        {' '}
        {marked(text, 0, query === '' ? [] : rangesOf(text, query))}
      </span>
    )
  })
}

const LEVEL_WORDS = { DEBUG: 'debug', INFO: 'info', WARNING: 'warn', ERROR: 'error', FATAL: 'fatal' } as const

const TONES = 5
/** The same name has the same colour, wherever it stands. */
function toneOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 10_007
  return sum % TONES
}

/** `14:02:10.123`. */
export const clockText = (at: number): string =>
  `${formatTime(at, 'clock')}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`

interface LineProps {
  row: LineRow
  query: string
  /** Names of columns that are not shown, in one text. */
  hidden: string
  /** Only for drawing again, when the person chose another zone. */
  zone: string
  isWhole: boolean
  onWhole: (key: number) => void
}

export const Line = memo(function Line({ row, query, hidden, isWhole, onWhole }: LineProps) {
  const { at, isError, level, container, key } = row
  const { runs, fields, hidden: rest } = partsOf(row, isWhole)
  return (
    <div className={styles.line} data-level={level ?? undefined} data-error={isError || undefined}>
      {!hidden.includes('times') && (
        <time className={styles.time} title={formatTime(at, 'exact')}>
          {clockText(at)}
        </time>
      )}
      {!hidden.includes('levels') && (
        <span className={styles.level}>{level ? LEVEL_WORDS[level] : isError ? 'stderr' : ''}</span>
      )}
      {!hidden.includes('containers') && (
        <span className={styles.container} data-tone={toneOf(container)} title={visibleText(container)}>
          {visibleText(shortContainerName(container))}
        </span>
      )}
      <span className={styles.text}>
        <Runs runs={runs} query={query} />
        <Fields fields={fields} query={query} />
        {rest > 0 && (
          <button type="button" className={styles.rest} onClick={() => onWhole(key)}>
            Show the rest ({Math.ceil(rest / 1024)} KB)
          </button>
        )}
      </span>
    </div>
  )
})
