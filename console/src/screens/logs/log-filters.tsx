import { shortContainerName } from '../../../../text/container-name.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { preferences } from '../../ui/preferences.ts'
import { wordsOf } from '../../ui/status.tsx'
import { formatTime } from '../../ui/time.tsx'
import type { LogSources } from './documents.ts'
import { LEVELS, type LogFilter } from './log-filter.ts'
import styles from './logs.module.css'

interface LogFiltersProps {
  filter: LogFilter
  sources: ResultOf<typeof LogSources> | null
  /** Names of containers whose lines are shown, which may be gone. */
  seen: readonly string[]
  onChange: (change: Partial<LogFilter>) => void
}

const MINUTE_MS = 60_000
const RANGES = [
  ['Last 15 minutes', 15],
  ['Last hour', 60],
  ['Last 6 hours', 360],
  ['Last day', 1_440],
] as const

/** What a field for a date and time holds, in the zone that the person chose. */
function fieldTime(instant: string): string {
  if (instant === '') return ''
  const at = new Date(instant)
  const shift = preferences().zone === 'utc' ? 0 : at.getTimezoneOffset() * MINUTE_MS
  return new Date(at.getTime() - shift).toISOString().slice(0, 19)
}

function instantOf(field: string): string {
  if (field === '') return ''
  const at = new Date(preferences().zone === 'utc' ? `${field}Z` : field)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

/** Which lines are shown. */
export function LogFilters({ filter, sources, seen, onChange }: LogFiltersProps) {
  const { container, version, run, stream, level, from, to } = filter
  const versions = sources?.deployments?.nodes ?? []
  const present = (sources?.pods ?? []).map(({ name }) => name)
  const containers = [...new Set([...present, ...seen, ...(container ? [container] : [])])]
  const runs = sources?.jobRuns?.nodes ?? []
  const hasRange = from !== '' || to !== ''
  return (
    <>
      <Choice label="Container" value={container} onChange={(value) => onChange({ container: value })}>
        <option value="">Containers</option>
        {containers.map((name) => (
          <option key={name} value={name}>
            {visibleText(shortContainerName(name))}
            {present.includes(name) ? '' : ' (gone)'}
          </option>
        ))}
      </Choice>
      <Choice label="Version" value={version} onChange={(value) => onChange({ version: value })}>
        <option value="">Versions</option>
        {versions.map((each) => (
          <option key={each.id} value={each.id}>
            Version {each.version}
          </option>
        ))}
        {version !== '' && !versions.some(({ id }) => id === version) && (
          <option value={version}>An older version</option>
        )}
      </Choice>
      {(runs.length > 0 || run !== '') && (
        <Choice label="Run" value={run} onChange={(value) => onChange({ run: value })}>
          <option value="">Runs</option>
          {runs.map(({ id, status, queuedAt }) => (
            <option key={id} value={id}>
              {formatTime(queuedAt)}, {wordsOf(status).toLowerCase()}
            </option>
          ))}
          {run !== '' && !runs.some(({ id }) => id === run) && <option value={run}>An older run</option>}
        </Choice>
      )}
      <Choice label="Level" value={level} onChange={(value) => onChange({ level: value as LogFilter['level'] })}>
        <option value="">Levels</option>
        {LEVELS.map((each) => (
          <option key={each} value={each}>
            {wordsOf(each)}
            {each === 'FATAL' ? '' : ' and above'}
          </option>
        ))}
      </Choice>
      <Choice label="Stream" value={stream} onChange={(value) => onChange({ stream: value as LogFilter['stream'] })}>
        <option value="">Streams</option>
        <option value="STDOUT">stdout</option>
        <option value="STDERR">stderr</option>
      </Choice>
      <Choice
        label="Time"
        value={hasRange ? 'chosen' : ''}
        onChange={(value) => {
          const minutes = Number(value)
          if (value === '') onChange({ from: '', to: '' })
          else onChange({ from: new Date(Date.now() - minutes * MINUTE_MS).toISOString(), to: '' })
        }}
      >
        <option value="">Any time</option>
        {RANGES.map(([label, minutes]) => (
          <option key={minutes} value={minutes}>
            {label}
          </option>
        ))}
        <option value={hasRange ? 'chosen' : 60}>From and to…</option>
      </Choice>
      {hasRange && (
        <>
          <Moment label="From" value={from} onChange={(value) => onChange({ from: value })} />
          <Moment label="To" value={to} onChange={(value) => onChange({ to: value })} />
        </>
      )}
    </>
  )
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: React.ReactNode
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <label className={styles.choice}>
      <span>{label}</span>
      <select
        className="control"
        value={value}
        data-active={value !== '' || undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {children}
      </select>
    </label>
  )
}

function Moment({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label className={styles.moment}>
      <span className="soft">{label}</span>
      <input
        type="datetime-local"
        step="1"
        className="control"
        value={fieldTime(value)}
        onChange={(event) => onChange(instantOf(event.target.value))}
      />
    </label>
  )
}
