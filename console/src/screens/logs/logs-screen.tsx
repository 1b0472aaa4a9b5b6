import {
  type FormEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useLocation, useSearch } from 'wouter'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { readUncached } from '../../graphql/read-uncached.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { useData } from '../../graphql/use-data.ts'
import { BASE, pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Menu } from '../../ui/menu.tsx'
import { Empty, Skeleton } from '../../ui/page.tsx'
import { setPreference, usePreferences } from '../../ui/preferences.ts'
import { Refused } from '../../ui/refused.tsx'
import { formatTime } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { LogFile, LogSources } from './documents.ts'
import { contains, copiedLine } from './line-text.tsx'
import { LogDetail } from './log-detail.tsx'
import { LogFeed } from './log-feed.ts'
import { filterIn, filterVariables, filterWords, type LogFilter, withFilter } from './log-filter.ts'
import { LogFilters } from './log-filters.tsx'
import { LogList, type LogListHandle, type Selection, type Versions } from './log-list.tsx'
import { indexOfKey, isLine, type LineRow } from './log-rows.ts'
import styles from './logs.module.css'
import { PlainLog } from './plain-log.tsx'

/** What an environment has written, and writes: followed, searched, and linked to by the line. */
export default function LogsScreen() {
  return (
    <EnvironmentPage title="Logs" isWide>
      {(environment) => <Logs environment={environment} />}
    </EnvironmentPage>
  )
}

const LINE = 'line'
const THROUGH = 'through'
const VIEW = 'view'

/** The same lines stay, whatever else the address says. */
const KEEP = Symbol('keep')

interface GoOptions {
  replace?: boolean
  /** Id of the line whose surroundings are shown; null: of none. */
  around?: string | null | typeof KEEP
}

function Logs({ environment }: { environment: Head }) {
  const search = useSearch()
  const parameters = useMemo(() => new URLSearchParams(search), [search])
  const [address, navigate] = useLocation()
  const filter = useMemo(() => filterIn(parameters), [parameters])
  // Choosing a line changes the address, and does not read again; coming here by a link, or back, does.
  const own = useRef<string | null>(null)
  const [around, setAround] = useState(() => parameters.get(LINE))
  useEffect(() => {
    if (own.current === search) return
    own.current = search
    setAround(new URLSearchParams(search).get(LINE))
  }, [search])
  const go = useCallback(
    (next: URLSearchParams, { replace = false, around: to = null }: GoOptions = {}) => {
      const text = next.toString()
      own.current = text
      if (to !== KEEP) setAround(to)
      navigate(text ? `${address}?${text}` : address, { replace })
    },
    [navigate, address],
  )
  const { data: sources } = useData(LogSources, {
    variables: { env: environment.cliEnvName, isJob: environment.jobConfig !== null },
    readAgainOn: (event) => event.appEnvId === environment.id && event.type.startsWith('OPERATION_'),
  })
  const versions = useMemo(() => {
    const known = new Map((sources?.deployments?.nodes ?? []).map((each) => [each.id, each]))
    return {
      text: (id: string) => (known.has(id) ? `version ${known.get(id)?.version}` : 'an older version'),
      madeAt: (id: string) => (known.has(id) ? Date.parse(known.get(id)?.createdAt ?? '') : null),
    }
  }, [sources])
  const shared = { environment, filter, parameters, go, sources, versions }
  if (parameters.get(VIEW) === 'plain') return <Plain {...shared} />
  const { search: text, ...others } = filter
  const key = JSON.stringify(around ? [around, filter.container, filter.version, filter.run] : [text, others])
  return <LogView {...shared} around={around} feedKey={key} />
}

interface SharedProps {
  environment: Head
  filter: LogFilter
  parameters: URLSearchParams
  go: (next: URLSearchParams, options?: GoOptions) => void
  sources: Parameters<typeof LogFilters>[0]['sources']
  versions: Versions
}

function Plain({ environment, filter, parameters, go }: SharedProps) {
  const back = new URLSearchParams(parameters)
  back.delete(VIEW)
  return <PlainLog env={environment.cliEnvName} filter={filter} onBack={() => go(back, { around: back.get(LINE) })} />
}

function LogView({
  environment,
  filter,
  parameters,
  go,
  sources,
  versions,
  around,
  feedKey,
}: SharedProps & { around: string | null; feedKey: string }) {
  const { cliEnvName: env } = environment
  const { wrapLogs, hiddenLogColumns } = usePreferences()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says of what it is made
  const feed = useMemo(() => new LogFeed({ env, filter, around }), [env, feedKey])
  useEffect(() => feed.start(), [feed])
  const state = useSyncExternalStore(feed.subscribe, feed.snapshot)
  const { rows, isLoading, hasNewer, newCount, isLive, refusal } = state
  const [isFollowing, setFollowing] = useState(around === null && filter.to === '')
  const [selection, setSelection] = useState<Selection | null>(null)
  const [ofFeed, setOfFeed] = useState(feed)
  if (ofFeed !== feed) {
    setOfFeed(feed)
    setSelection(null)
    setFollowing(around === null && filter.to === '')
  }
  const [areFiltersOpen, setFiltersOpen] = useState(false)
  const list = useRef<LogListHandle>(null)
  const input = useRef<HTMLInputElement>(null)
  const isNarrow = useNarrow()
  const downloads = useDownload(env, filter)

  const change = useCallback(
    (changed: Partial<LogFilter>, replace = false) => {
      const next = withFilter(parameters, changed)
      next.delete(LINE)
      next.delete(THROUGH)
      go(next, { replace })
    },
    [parameters, go],
  )
  const older = useCallback(() => void feed.readOlder(), [feed])
  const newer = useCallback(() => void feed.readNewer(), [feed])
  const atEnd = useCallback((isAtEnd: boolean) => feed.setAtEnd(isAtEnd), [feed])

  const follow = useCallback(() => {
    setSelection(null)
    if (around) return change({})
    if (hasNewer) feed.restart()
    else list.current?.toEnd()
    feed.setAtEnd(true)
    setFollowing(true)
  }, [around, hasNewer, feed, change])

  const selected = useMemo(() => {
    if (!selection) return []
    const [from, to] = [Math.min(selection.anchor, selection.head), Math.max(selection.anchor, selection.head)]
    return rows.slice(indexOfKey(rows, from), indexOfKey(rows, to + 1)).filter(isLine)
  }, [rows, selection])

  /** The line of the address, once it is held. */
  const shownOf = useRef<LogFeed | null>(null)
  useEffect(() => {
    if (shownOf.current === feed || isLoading || rows.length === 0) return
    shownOf.current = feed
    const [id, through] = [parameters.get(LINE), parameters.get(THROUGH)]
    const found = rows.find((row) => isLine(row) && row.id === id)
    if (!found) return
    const last = rows.find((row) => isLine(row) && row.id === through) ?? found
    setSelection({ anchor: found.key, head: last.key })
    // Once the panel below has taken its room.
    requestAnimationFrame(() => requestAnimationFrame(() => list.current?.toKey(found.key, 'center')))
  }, [feed, rows, isLoading, parameters])

  const addressOf = (lines: readonly LineRow[]) => {
    const [first, last] = [lines[0], lines.at(-1)]
    const next = new URLSearchParams(parameters)
    next.delete(LINE)
    next.delete(THROUGH)
    if (first) next.set(LINE, first.id)
    if (last && last !== first) next.set(THROUGH, last.id)
    return next
  }
  const select = (next: Selection | null) => {
    setSelection(next)
    const [from, to] = next ? [Math.min(next.anchor, next.head), Math.max(next.anchor, next.head)] : [1, 0]
    const ends = [rows[indexOfKey(rows, from)], rows[indexOfKey(rows, to)]].filter(isLine)
    go(addressOf(next ? ends : []), { replace: true, around: KEEP })
    if (next) requestAnimationFrame(() => list.current?.toKey(next.head, 'auto'))
  }
  const showAround = () => {
    if (selected[0]) go(addressOf(selected), { around: selected[0].id })
  }
  const copy = (lines: readonly LineRow[]) =>
    copied(
      lines.map((line) => copiedLine(line, hiddenLogColumns)).join('\n'),
      lines.length === 1 ? 'The line' : `${lines.length} lines`,
    )
  const copyLink = () =>
    copied(`${location.origin}${BASE}${pathTo('logs', { env })}?${addressOf(selected)}`, 'The link')

  const toMatch = (by: 1 | -1) => {
    const query = filter.search
    if (query === '') return input.current?.focus()
    const start = selection ? indexOfKey(rows, selection.head) + by : by > 0 ? 0 : rows.length - 1
    for (let at = start; at >= 0 && at < rows.length; at += by) {
      const row = rows[at]
      if (isLine(row) && contains(row.message, query)) {
        setFollowing(false)
        return select({ anchor: row.key, head: row.key })
      }
    }
    say(by > 0 ? 'No later line has it' : 'No earlier line has it, of those that are loaded')
  }
  const toggle = (column: string) =>
    setPreference(
      'hiddenLogColumns',
      hiddenLogColumns.includes(column)
        ? hiddenLogColumns.filter((each) => each !== column)
        : [...hiddenLogColumns, column],
    )
  const isInput = () => document.activeElement === input.current
  const focusSearch = () => input.current?.select()
  const toggleFollow = () => (isFollowing ? setFollowing(false) : follow())
  useKeys([
    { keys: '/', about: 'Search the log', run: focusSearch },
    { keys: 'Mod+f', about: 'Search the log; again: search the page', run: focusSearch, when: () => !isInput() },
    { keys: 'f', about: 'Follow the end of the log, or stop', run: toggleFollow },
    { keys: 'w', about: 'Wrap lines, or not', run: () => setPreference('wrapLogs', !wrapLogs) },
    { keys: 't', about: 'Show times, or not', run: () => toggle('times') },
    { keys: ']', about: 'Next line that has the text', run: () => toMatch(1) },
    { keys: '[', about: 'Previous line that has the text', run: () => toMatch(-1) },
    { keys: 'G', about: 'To the newest line', run: follow },
    {
      keys: 'g',
      about: 'To the first line that is loaded',
      run: () => {
        setFollowing(false)
        list.current?.toStart()
      },
    },
    { keys: 'Escape', about: 'Select no line', run: () => select(null), when: () => selection !== null },
    {
      keys: 'Mod+c',
      about: 'Copy the selected lines',
      run: () => copy(selected),
      when: () => selected.length > 0 && hasNoText(),
    },
  ])

  const seen = useSeenContainers(rows)
  const plain = new URLSearchParams(parameters)
  plain.set(VIEW, 'plain')
  const shown = (column: string) => (hiddenLogColumns.includes(column) ? 'Show' : 'Hide')
  const hides = filterWords(filter, versions.text)
  const isFiltered = !around && (filter.search !== '' || filter.level !== '' || filter.stream !== '')
  const filters = <LogFilters filter={filter} sources={sources} seen={seen} onChange={change} />
  const activeCount = hides.length - (filter.search ? 1 : 0)
  const frame = useFill()
  return (
    <div ref={frame} className={styles.frame}>
      <div className={styles.toolbar}>
        <SearchField
          input={input}
          value={filter.search}
          onSearch={(text, replace) => change({ search: text }, replace)}
        />
        {isNarrow ? (
          <Button icon="funnel" onClick={() => setFiltersOpen(true)} aria-label={`Filters, ${activeCount} active`}>
            {activeCount || null}
          </Button>
        ) : (
          filters
        )}
        <span className={styles.actions}>
          <Button
            icon={isFollowing ? 'pause' : 'arrowDown'}
            aria-pressed={isFollowing}
            aria-label={isNarrow ? 'Follow' : undefined}
            onClick={toggleFollow}
          >
            {isNarrow ? null : isFollowing ? 'Following' : 'Follow'}
          </Button>
          <Menu
            label="Show and download"
            icon="ellipsis"
            items={[
              {
                label: wrapLogs ? 'Do not wrap lines' : 'Wrap lines',
                icon: 'wrapText',
                run: () => setPreference('wrapLogs', !wrapLogs),
              },
              { label: `${shown('times')} times`, icon: 'clock', run: () => toggle('times') },
              { label: `${shown('levels')} levels`, icon: 'triangleAlert', run: () => toggle('levels') },
              { label: `${shown('containers')} containers`, icon: 'box', run: () => toggle('containers') },
              { label: 'Plain text', icon: 'scrollText', startsGroup: true, run: () => go(plain) },
              { label: 'Download as text', icon: 'download', run: () => downloads.begin('TEXT') },
              { label: 'Download as NDJSON', icon: 'download', run: () => downloads.begin('NDJSON') },
            ]}
          />
        </span>
      </div>
      <Dialog title="Filters" isOpen={areFiltersOpen} onClose={() => setFiltersOpen(false)} isSheet>
        <div className={styles.sheet}>{filters}</div>
      </Dialog>
      {around && (
        <p className={styles.banner}>
          <Icon name="scrollText" className="info" />
          <span>All lines around one, without the filter.</span>
          <Button onClick={() => change({})}>{filter.search ? 'Back to the search' : 'To the newest lines'}</Button>
        </p>
      )}
      {(refusal ?? downloads.refusal) && (
        <Refused
          refusal={(refusal ?? downloads.refusal) as Refusal}
          onRetry={refusal ? () => feed.restart() : () => downloads.reset()}
        />
      )}
      <div className={styles.list}>
        <h2 className="visually-hidden">Lines</h2>
        {isLoading && rows.length === 0 && <Skeleton lines={12} />}
        {!isLoading && rows.length === 0 && !refusal && (
          <Nothing
            hides={around ? [] : hides}
            searchedBackTo={state.hasOlder ? state.searchedBackTo : null}
            isSearching={state.isReading === 'older'}
            onStop={() => feed.stopSearch()}
            onGoOn={older}
            isLive={isLive}
            onClear={() =>
              change({ search: '', container: '', version: '', run: '', stream: '', level: '', from: '', to: '' })
            }
          />
        )}
        {rows.length > 0 && (
          <LogList
            // Another filter, or another line, is another list.
            key={feedKey}
            handle={list}
            state={state}
            query={filter.search}
            isFiltered={isFiltered}
            versions={versions}
            selection={selection}
            onSelect={select}
            isFollowing={isFollowing && !hasNewer}
            onFollow={setFollowing}
            onAtEnd={atEnd}
            onOlder={older}
            onNewer={newer}
            onOpen={showAround}
            onCopy={(key) => {
              const row = rows[indexOfKey(rows, key)]
              if (isLine(row)) void copy([row])
            }}
            top={<Top state={state} isFiltered={isFiltered} onStop={() => feed.stopSearch()} onGoOn={older} />}
            bottom={<Bottom state={state} to={around ? '' : filter.to} last={rows.findLast(isLine)?.at ?? null} />}
          />
        )}
        {!isFollowing && rows.length > 0 && (newCount > 0 || hasNewer) && (
          <button type="button" className={styles.news} onClick={follow}>
            <Icon name="arrowDown" />
            {newCount > 0
              ? `${newCount.toLocaleString('en')} new ${newCount === 1 ? 'line' : 'lines'}`
              : 'To the newest'}
          </button>
        )}
      </div>
      {selected.length > 0 && (
        <LogDetail
          lines={selected}
          versions={versions}
          onCopy={() => copy(selected)}
          onCopyLink={copyLink}
          onAround={showAround}
          onSearch={(text) => change({ search: text })}
          onContainer={(name) => change({ container: name })}
          onClose={() => select(null)}
          isOpen={!isNarrow}
        />
      )}
    </div>
  )
}

const hasNoText = () => getSelection()?.isCollapsed !== false

async function copied(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} copied`)
  } catch {
    say('The browser does not allow to copy here: it needs HTTPS, or your permission')
  }
}

const NARROW = '(max-width: 56rem)'

/** Whether there is no room for all filters beside each other. */
function useNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = matchMedia(NARROW)
      query.addEventListener('change', onChange)
      return () => query.removeEventListener('change', onChange)
    },
    () => matchMedia(NARROW).matches,
  )
}

const BELOW_PX = 16

/** Fills the window below where it begins: the lines scroll, and not the page. */
function useFill() {
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const fill = () => {
      const top = Math.round(element.getBoundingClientRect().top + scrollY)
      element.style.setProperty('--above', `${top + BELOW_PX}px`)
    }
    fill()
    // What stands above it comes and goes: pending changes, the connection.
    const observer = new ResizeObserver(fill)
    if (element.parentElement) observer.observe(element.parentElement)
    return () => observer.disconnect()
  }, [])
  return frame
}

/** In the order in which they appeared. */
function useSeenContainers(rows: Parameters<typeof indexOfKey>[0]): string[] {
  const seen = useRef(new Set<string>())
  for (const row of rows.slice(-200)) if (isLine(row)) seen.current.add(row.container)
  return [...seen.current]
}

function useDownload(env: string, filter: LogFilter) {
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const begin = async (format: 'TEXT' | 'NDJSON') => {
    setRefusal(null)
    const { data, refusal: refused } = await readUncached(LogFile, { env, ...filterVariables(filter), format })
    const url = data?.logsDownload?.url
    if (!url || !/^https?:/.test(url)) return setRefusal(refused)
    // It comes as an attachment, so the page stays.
    location.assign(url)
  }
  return { begin, refusal, reset: () => setRefusal(null) }
}

const TYPING_MS = 400

interface SearchFieldProps {
  input: React.RefObject<HTMLInputElement | null>
  value: string
  onSearch: (text: string, replace: boolean) => void
}

/** Searches once the typing pauses. */
function SearchField({ input, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => setTyped(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onSearch(text, true), TYPING_MS)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    clearTimeout(timer.current)
    if (typed !== value) onSearch(typed, false)
  }
  return (
    <search className={styles.search}>
      <form onSubmit={submit}>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          className="control"
          aria-label="Search the log"
          placeholder="Search all that is kept"
          value={typed}
          maxLength={500}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => change(event.target.value)}
        />
      </form>
    </search>
  )
}

function Top({
  state: { hasOlder, isReading, searchedBackTo, rows },
  isFiltered,
  onStop,
  onGoOn,
}: {
  state: ReturnType<LogFeed['snapshot']>
  isFiltered: boolean
  onStop: () => void
  onGoOn: () => void
}) {
  if (!hasOlder) return <p className="soft">{isFiltered ? 'All that is kept was searched.' : 'The log begins here.'}</p>
  const first = rows.find(isLine)
  const reached = searchedBackTo ?? (isFiltered ? (first?.at ?? null) : null)
  return (
    <p className="row soft">
      {isFiltered && reached !== null
        ? `Searched back to ${formatTime(reached)}`
        : isReading === 'older'
          ? 'Reading older lines'
          : ''}
      {isReading === 'older' ? (
        isFiltered && (
          <button type="button" className={styles.rest} onClick={onStop}>
            Stop
          </button>
        )
      ) : (
        <button type="button" className={styles.rest} onClick={onGoOn}>
          {isFiltered ? 'Search further back' : 'Read older lines'}
        </button>
      )}
    </p>
  )
}

function Bottom({
  state: { isLive, hasNewer, isReading },
  to,
  last,
}: {
  state: ReturnType<LogFeed['snapshot']>
  to: string
  last: number | null
}) {
  if (isReading === 'newer') return <p className="soft">Reading newer lines</p>
  if (hasNewer) return null
  if (to) return <p className="soft">The chosen time ends here.</p>
  if (!isLive || last === null) return null
  return <p className="soft">Live. The last line is of {formatTime(last, 'clock')}.</p>
}

interface NothingProps {
  hides: readonly string[]
  searchedBackTo: number | null
  isSearching: boolean
  isLive: boolean
  onStop: () => void
  onGoOn: () => void
  onClear: () => void
}

function Nothing({ hides, searchedBackTo, isSearching, isLive, onStop, onGoOn, onClear }: NothingProps) {
  if (hides.length === 0)
    return (
      <Empty title="No line was written yet">
        <p>
          What the containers write to their standard output and error appears here,{' '}
          {isLive ? 'as they write it' : 'once they do'}. It is kept when they are gone.
        </p>
      </Empty>
    )
  return (
    <Empty
      title={isSearching ? 'Nothing found yet' : 'No line is like this'}
      actions={
        <>
          <Button icon="x" onClick={onClear}>
            Show all lines
          </Button>
          {isSearching ? (
            <Button onClick={onStop}>Stop</Button>
          ) : (
            searchedBackTo && <Button onClick={onGoOn}>Search further back</Button>
          )}
        </>
      }
    >
      <p>Hidden by {hides.join(', ')}.</p>
      {searchedBackTo ? (
        <p>Searched back to {formatTime(searchedBackTo)}.</p>
      ) : (
        <p>All that is kept was searched{isLive ? '; new lines appear as they are written' : ''}.</p>
      )}
    </Empty>
  )
}
