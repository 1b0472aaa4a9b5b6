import { stringifyDocument } from 'urql'
import { connection, onConnection, socket } from '../../graphql/connection.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { readUncached } from '../../graphql/read-uncached.ts'
import { NO_ANSWER, type Refusal, refusalOf, type SentError } from '../../graphql/refusal.ts'
import { formatTime } from '../../ui/time.tsx'
import { LogPage, NewLines } from './documents.ts'
import { filterVariables, type LogFilter, liveVariables, sourceVariables } from './log-filter.ts'
import { idsOf, isLine, lastIdOf, type Row, type SentLine, withNewer, withOlder } from './log-rows.ts'

/** Lines that are held. Beyond them the far end is let go, and read again when one scrolls there. */
export const MAX_HELD = 50_000
/** Let go at once, so that not each line that comes moves all others. */
const LET_GO = 5_000
const FIRST_PAGE = 300
const PAGE = 500
const AROUND_PAGE = 201
/** Lines that wait to be shown: the page is too slow for more, and shows the newest. */
const MAX_WAITING = 10_000
const MAX_AT_ONCE = 2_000
/** Between two times that lines are shown: quick enough to read, and leaves most of each second to the person. */
const SHOW_EVERY_MS = 200
const HIDDEN_STOP_MS = 60_000
const RETRY_MS = 2_000
const CATCH_UP_PAGE = 1_000
/** A search goes on by itself until it has found this many lines, or read all that is kept. */
const ENOUGH_FOUND = 100

export interface FeedState {
  rows: readonly Row[]
  isLoading: boolean
  hasOlder: boolean
  hasNewer: boolean
  isReading: 'older' | 'newer' | null
  /** What is written from now on is shown as it is. */
  isLive: boolean
  /** How far back the filter was looked for, where it finds little; milliseconds. */
  searchedBackTo: number | null
  /** Lines that came since the person left the end. */
  newCount: number
  refusal: Refusal | null
}

interface FeedOptions {
  env: string
  filter: LogFilter
  /** Id of a line, whose surroundings are shown without the filter. */
  around: string | null
}

type Page = NonNullable<ResultOf<typeof LogPage>['logs']>

/** Position of a cursor in time: it begins with nanoseconds, as the id of a line does. */
function timeOf(cursor: string | null): number | null {
  const [, nanoseconds] = /^(\d{16,19})\./.exec(cursor ?? '') ?? []
  return nanoseconds ? Number(nanoseconds) / 1e6 : null
}

/**
 * The log of an environment, as much of it as is held: the newest lines, and what is written from now on, or those around a
 * line, with what is before and after them when it is asked for. No line is shown twice, and none is left out between others.
 */
export class LogFeed {
  private state: FeedState = {
    rows: [],
    isLoading: true,
    hasOlder: false,
    hasNewer: false,
    isReading: null,
    isLive: false,
    searchedBackTo: null,
    newCount: 0,
    refusal: null,
  }
  private readonly listeners = new Set<() => void>()
  private ids = new Set<string>()
  private olderCursor: string | null = null
  private newerCursor: string | null = null
  private waiting: SentLine[] = []
  private frame: number | undefined
  private shownAt = 0
  private stopFollowing = () => {}
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined
  private isOver = false
  private isSearchStopped = false
  /** Whether the person is at the end, where what comes moves nothing that they read. */
  private isAtEnd = true
  /** Answers of an earlier beginning are of no use. */
  private beginning = 0

  private readonly options: FeedOptions

  constructor(options: FeedOptions) {
    this.options = options
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
  snapshot = (): FeedState => this.state

  /** Begins; returns what ends it. */
  start(): () => void {
    this.isOver = false
    void this.begin()
    const onVisibility = () => this.visibilityChanged()
    document.addEventListener('visibilitychange', onVisibility)
    let wasLive = connection().state === 'LIVE'
    const stopListening = onConnection(() => {
      const isLive = connection().state === 'LIVE'
      if (isLive && !wasLive && this.state.isLive && this.state.rows.length > 0)
        this.addNote(`Reconnected at ${formatTime(Date.now(), 'clock')}. No line is missing.`)
      wasLive = isLive || (wasLive && connection().state === 'CONNECTING')
    })
    return () => {
      this.isOver = true
      this.stop()
      stopListening()
      clearTimeout(this.hiddenTimer)
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }

  setAtEnd(isAtEnd: boolean): void {
    this.isAtEnd = isAtEnd
    if (isAtEnd && this.state.newCount > 0) this.become({ newCount: 0 })
  }

  /** Shows the newest lines, and what follows them. */
  restart(note?: string): void {
    void this.begin(note)
  }

  stopSearch(): void {
    this.isSearchStopped = true
  }

  private become(change: Partial<FeedState>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.listeners) listener()
  }

  private async begin(note?: string): Promise<void> {
    this.stop()
    const beginning = ++this.beginning
    const { around, filter } = this.options
    this.isSearchStopped = false
    this.isAtEnd = around === null
    this.become({ isLoading: true, refusal: null, newCount: 0, searchedBackTo: null })
    if (around && note === undefined) return this.beginAround(around, beginning)
    if (filter.to) return this.beginAtEnd(beginning)
    this.follow(beginning, () => this.beginAtEnd(beginning, note))
  }

  private async beginAround(around: string, beginning: number): Promise<void> {
    const page = await this.page({ around, first: AROUND_PAGE }, sourceVariables(this.options.filter))
    if (!page || beginning !== this.beginning) return
    this.olderCursor = page.pageInfo.endCursor
    this.newerCursor = page.pageInfo.startCursor
    this.hold(
      withNewer([], inOrder(page.nodes), () => false),
      {
        isLoading: false,
        hasOlder: page.pageInfo.hasNextPage,
        hasNewer: true,
      },
    )
  }

  private async beginAtEnd(beginning: number, note?: string): Promise<void> {
    const page = await this.page({ first: FIRST_PAGE })
    if (!page || beginning !== this.beginning) return
    this.olderCursor = page.pageInfo.endCursor
    const rows = withNewer(note ? [{ key: 0, note }] : [], inOrder(page.nodes), () => false)
    this.hold(rows, { isLoading: false, hasOlder: page.pageInfo.hasNextPage, hasNewer: false })
    this.noteSearched(page)
    if (page.pageInfo.hasNextPage && page.nodes.length < ENOUGH_FOUND) void this.readOlder()
  }

  /** Reads what is before the first row; a search that finds little goes on by itself. */
  async readOlder(): Promise<void> {
    if (this.state.isReading || !this.state.hasOlder) return
    const beginning = this.beginning
    let found = 0
    this.isSearchStopped = false
    do {
      this.become({ isReading: 'older', refusal: null })
      const page = await this.page({ first: PAGE, after: this.olderCursor })
      if (beginning !== this.beginning) return
      if (!page) return this.become({ isReading: null })
      found += page.nodes.length
      this.olderCursor = page.pageInfo.endCursor ?? this.olderCursor
      const rows = withOlder(this.state.rows, inOrder(page.nodes))
      this.noteSearched(page)
      this.hold(rows, { isReading: null, hasOlder: page.pageInfo.hasNextPage }, 'newest')
    } while (this.state.hasOlder && found < ENOUGH_FOUND && !this.isSearchStopped && !this.isOver)
  }

  /** Reads what follows the last row; at the end it goes on with what is written. */
  async readNewer(): Promise<void> {
    if (this.state.isReading || !this.state.hasNewer) return
    const beginning = this.beginning
    let found = 0
    do {
      this.become({ isReading: 'newer', refusal: null })
      const page = await this.page({ last: PAGE, before: this.newerCursor })
      if (beginning !== this.beginning) return
      if (!page) return this.become({ isReading: null })
      found += page.nodes.length
      this.newerCursor = page.pageInfo.startCursor ?? this.newerCursor
      const rows = withNewer(this.state.rows, inOrder(page.nodes), (id) => this.ids.has(id))
      const hasNewer = page.pageInfo.hasPreviousPage
      this.hold(rows, { isReading: null, hasNewer }, 'oldest')
      if (!hasNewer && !this.to) return this.follow(beginning, () => this.catchUp(beginning))
    } while (this.state.hasNewer && found < ENOUGH_FOUND && !this.isOver)
  }

  private get to(): string {
    return this.options.around ? '' : this.options.filter.to
  }

  /** What was written between the last page and the first message of the subscription. */
  private async catchUp(beginning: number): Promise<void> {
    const page = await this.page({ last: CATCH_UP_PAGE, before: this.newerCursor })
    if (!page || beginning !== this.beginning) return
    this.newerCursor = page.pageInfo.startCursor ?? this.newerCursor
    const rows = withNewer(this.state.rows, inOrder(page.nodes), (id) => this.ids.has(id))
    this.hold(rows, { hasNewer: page.pageInfo.hasPreviousPage }, 'oldest')
    if (page.pageInfo.hasPreviousPage) this.stop()
  }

  private async page(
    at: { first?: number; last?: number; after?: string | null; before?: string | null; around?: string },
    filter: object = this.options.around ? sourceVariables(this.options.filter) : filterVariables(this.options.filter),
  ): Promise<Page | null> {
    const { data, refusal } = await readUncached(LogPage, { env: this.options.env, ...filter, ...at })
    if (data?.logs && !refusal) return data.logs
    this.become({ refusal: refusal ?? NO_ANSWER, isLoading: false })
    return null
  }

  /** Only a filter that leaves lines out was looked for. */
  private noteSearched({ pageInfo, nodes }: Page): void {
    const last = nodes.at(-1)
    const reached = pageInfo.hasNextPage ? timeOf(pageInfo.endCursor) : null
    this.become({ searchedBackTo: last && last.id === pageInfo.endCursor ? null : reached })
  }

  private hold(rows: readonly Row[], change: Partial<FeedState>, far: 'oldest' | 'newest' = 'oldest'): void {
    let kept = rows
    if (rows.length > MAX_HELD && far === 'oldest') {
      kept = rows.slice(rows.length - MAX_HELD + LET_GO)
      this.olderCursor = kept.find(isLine)?.id ?? this.olderCursor
      change.hasOlder = true
    } else if (rows.length > MAX_HELD) {
      kept = rows.slice(0, MAX_HELD - LET_GO)
      this.stop()
      this.newerCursor = lastIdOf(kept) ?? this.newerCursor
      change.hasNewer = true
      change.isLive = false
    }
    this.ids = new Set(idsOf(kept))
    this.become({ ...change, rows: kept })
  }

  private addNote(note: string): void {
    const { rows } = this.state
    this.become({ rows: [...rows, { key: (rows.at(-1)?.key ?? 0) + 1, note }] })
  }

  /** `first` reads what the subscription goes on from; until it has, what comes waits. */
  private follow(beginning: number, first: () => Promise<void>): void {
    this.stop()
    let after: string | undefined
    let isReady = false
    let retry: ReturnType<typeof setTimeout> | undefined
    let unsubscribe = () => {}
    const variables = {
      env: this.options.env,
      ...(this.options.around ? sourceVariables(this.options.filter) : liveVariables(this.options.filter)),
      // Read with each connection.
      get after() {
        return after
      },
    }
    const receive = async ({ cursor, lines }: ResultOf<typeof NewLines>['appEnvLogs']) => {
      const isFirst = after === undefined
      after = cursor
      if (!isFirst) return this.wait(lines, isReady)
      await first()
      if (beginning !== this.beginning || this.state.refusal) return
      isReady = true
      this.become({ isLive: !this.state.hasNewer })
      this.wait([], true)
    }
    const refuse = (errors: unknown) => {
      if (!Array.isArray(errors)) return
      const refusal = refusalOf(errors[0] as SentError)
      if (refusal.reason === 'TOO_SLOW') return this.tooMany()
      this.become({ refusal, isLoading: false, isLive: false })
      if (refusal.code === 'UNAVAILABLE') again()
    }
    const again = () => {
      clearTimeout(retry)
      retry = setTimeout(subscribe, RETRY_MS)
    }
    const subscribe = () => {
      unsubscribe()
      unsubscribe = socket.subscribe<ResultOf<typeof NewLines>>(
        { query: stringifyDocument(NewLines), variables },
        {
          next: ({ data, errors }) => (data ? void receive(data.appEnvLogs) : refuse(errors)),
          error: refuse,
          complete: () => {},
        },
      )
    }
    subscribe()
    this.stopFollowing = () => {
      clearTimeout(retry)
      unsubscribe()
    }
  }

  private stop(): void {
    this.stopFollowing()
    this.stopFollowing = () => {}
    this.waiting = []
    if (this.frame !== undefined) cancelAnimationFrame(this.frame)
    this.frame = undefined
    if (this.state.isLive) this.become({ isLive: false })
  }

  private wait(lines: readonly SentLine[], isReady: boolean): void {
    this.waiting.push(...lines)
    if (this.waiting.length > MAX_WAITING) this.tooMany()
    else if (isReady && this.waiting.length > 0) this.frame ??= requestAnimationFrame(this.show)
  }

  /** A bounded number of lines per frame, and not in each frame. */
  private show = (now: number): void => {
    this.frame = undefined
    if (now - this.shownAt < SHOW_EVERY_MS) {
      this.frame = requestAnimationFrame(this.show)
      return
    }
    this.shownAt = now
    const { rows, newCount } = this.state
    const lines = this.waiting.splice(0, MAX_AT_ONCE)
    const { from } = this.options.filter
    const wanted = from && !this.options.around ? lines.filter(({ timestamp }) => timestamp >= from) : lines
    const next = withNewer(rows, wanted, (id) => this.ids.has(id))
    // The person reads further up, and would lose it: the rest is read when they come down again.
    if (next.length > MAX_HELD && !this.isAtEnd) {
      this.newerCursor = lastIdOf(rows) ?? this.newerCursor
      this.stop()
      this.become({ hasNewer: true, newCount: newCount + wanted.length })
      return
    }
    const count = this.isAtEnd ? 0 : newCount + wanted.length
    if (next.length > MAX_HELD) this.hold(next, { newCount: count })
    else {
      for (const { id } of wanted) this.ids.add(id)
      this.become({ rows: next, newCount: count })
    }
    if (this.waiting.length > 0) this.frame = requestAnimationFrame(this.show)
  }

  private tooMany(): void {
    if (this.isAtEnd) this.restart('Too many lines to show each as it comes: these are the newest. Filters help.')
    else this.pause()
  }

  /** What follows is read when the person comes down to the end. */
  private pause(): void {
    this.newerCursor = lastIdOf(this.state.rows) ?? this.newerCursor
    this.stop()
    this.become({ hasNewer: true })
  }

  private visibilityChanged(): void {
    clearTimeout(this.hiddenTimer)
    if (document.visibilityState === 'hidden') {
      this.hiddenTimer = setTimeout(() => {
        if (!this.state.isLive) return
        this.stop()
        this.wasStopped = true
      }, HIDDEN_STOP_MS)
      return
    }
    if (!this.wasStopped) return
    this.wasStopped = false
    if (this.isAtEnd) this.restart()
    else this.pause()
  }
  private wasStopped = false
}

const inOrder = (nodes: readonly SentLine[]): SentLine[] => [...nodes].reverse()
