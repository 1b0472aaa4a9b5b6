import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { shortContainerName } from '../../../../text/container-name.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { formatTime } from '../../ui/time.tsx'
import { Line } from './line-text.tsx'
import type { FeedState } from './log-feed.ts'
import { type Beginnings, beginnings, indexOfKey, isLine, type Row } from './log-rows.ts'
import styles from './logs.module.css'

/** What is known of versions, by their ids. */
export interface Versions {
  text: (contentId: string) => string
  madeAt: (contentId: string) => number | null
}

/** Lines from one to another, by their keys; `head` moves. */
export interface Selection {
  anchor: number
  head: number
}

export interface LogListHandle {
  toEnd: () => void
  toStart: () => void
  toKey: (key: number, align: 'auto' | 'center') => void
}

interface LogListProps {
  handle: Ref<LogListHandle>
  state: FeedState
  query: string
  /** Filters leave lines out: what begins where is not to be seen. */
  isFiltered: boolean
  versions: Versions
  selection: Selection | null
  onSelect: (selection: Selection | null) => void
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
  onAtEnd: (isAtEnd: boolean) => void
  onOlder: () => void
  onNewer: () => void
  onOpen: () => void
  onCopy: (key: number) => void
  top: ReactNode
  bottom: ReactNode
}

const ROW_PX = 20
const PADDING_TOP_PX = 40
const PADDING_BOTTOM_PX = 32
const NEAR_ROWS = 30
const SETTLE_MS = 400
/** From the end, that counts as being there. */
const END_PX = 8
/** How long a scroll is the person’s after they turned the wheel, or let go of the glass. */
const WHEEL_MS = 600
const TOUCH_MS = 2_500
const DRAG_MS = 30_000

/** The lines. What comes at either end moves none that is seen, unless the person follows the end. */
export function LogList({
  handle,
  state,
  query,
  isFiltered,
  versions,
  selection,
  onSelect,
  isFollowing,
  onFollow,
  onAtEnd,
  onOlder,
  onNewer,
  onOpen,
  onCopy,
  top,
  bottom,
}: LogListProps) {
  const { rows, hasOlder, hasNewer, isReading, refusal } = state
  const scroller = useRef<HTMLDivElement>(null)
  const { wrapLogs, hiddenLogColumns, zone } = usePreferences()
  const [whole, setWhole] = useState<ReadonlySet<number>>(new Set())
  const [columns, setColumns] = useState(120)
  const hidden = hiddenLogColumns.join(' ')
  const showWhole = useCallback((key: number) => setWhole((before) => new Set(before).add(key)), [])

  const estimateSize = useCallback(
    (index: number) => {
      const row = rows[index]
      if (!wrapLogs || !isLine(row)) return ROW_PX
      return ROW_PX * Math.max(1, Math.ceil(Math.min(row.message.length, 32_768) / columns))
    },
    [rows, wrapLogs, columns],
  )
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    overscan: 10,
    paddingStart: PADDING_TOP_PX,
    paddingEnd: PADDING_BOTTOM_PX,
    anchorTo: 'end',
    followOnAppend: isFollowing,
    scrollEndThreshold: END_PX,
    useFlushSync: false,
  })
  const items = virtual.getVirtualItems()

  // How many characters a line has room for: from this the height of those that were not seen yet is guessed.
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => setColumns(Math.max(24, Math.floor(element.clientWidth / 7.8) - 42)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  // Another width of the text is another height of each line: what was on top stays there.
  const topKey = useRef<number | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again for what changes heights
  useLayoutEffect(() => {
    virtual.measure()
    // Those that are shown are not measured again by themselves: nothing of them has changed since they were drawn.
    for (const row of scroller.current?.querySelectorAll<HTMLElement>('[data-index]') ?? []) virtual.measureElement(row)
    if (isFollowing) virtual.scrollToEnd()
    else if (topKey.current !== null) virtual.scrollToIndex(indexOfKey(rows, topKey.current), { align: 'start' })
  }, [wrapLogs, hidden, columns])

  // Lines that were put in front on the way there would lead elsewhere.
  const [isSettling, setSettling] = useState(!isFollowing)
  const settled = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const settle = useCallback(() => {
    setSettling(true)
    clearTimeout(settled.current)
    settled.current = setTimeout(() => setSettling(false), SETTLE_MS)
  }, [])
  useEffect(() => {
    settle()
    return () => clearTimeout(settled.current)
  }, [settle])

  useImperativeHandle(handle, () => ({
    toEnd: () => virtual.scrollToEnd(),
    toStart: () => virtual.scrollToIndex(0),
    toKey: (key, align) => {
      settle()
      virtual.scrollToIndex(indexOfKey(rows, key), { align })
    },
  }))

  const firstIndex = items[0]?.index ?? 0
  const lastIndex = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (isReading || refusal || isSettling || rows.length === 0) return
    if (hasOlder && firstIndex < NEAR_ROWS && !isFollowing) onOlder()
    else if (hasNewer && lastIndex > rows.length - NEAR_ROWS) onNewer()
  }, [
    isSettling,
    firstIndex,
    lastIndex,
    rows.length,
    hasOlder,
    hasNewer,
    isReading,
    refusal,
    isFollowing,
    onOlder,
    onNewer,
  ])

  // biome-ignore lint/correctness/useExhaustiveDependencies: where it begins
  useLayoutEffect(() => {
    if (isFollowing) virtual.scrollToEnd()
  }, [])

  const personUntil = useRef(0)
  const lastTop = useRef(0)
  const isByPerson = (milliseconds: number) => {
    personUntil.current = performance.now() + milliseconds
  }
  const scrolled = () => {
    const element = scroller.current
    if (!element) return
    const { scrollTop, scrollHeight, clientHeight } = element
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= END_PX
    const isUp = scrollTop < lastTop.current - 1
    const isPerson = performance.now() < personUntil.current
    lastTop.current = scrollTop
    topKey.current = rows[virtual.getVirtualItemForOffset(scrollTop + PADDING_TOP_PX)?.index ?? 0]?.key ?? null
    if (isPerson && isUp && !isAtEnd) onFollow(false)
    else if (isPerson && isAtEnd && !hasNewer) onFollow(true)
    onAtEnd(isAtEnd && !hasNewer)
  }

  const known = useRef<{ versions: Versions; of: Beginnings | null }>({ versions, of: null })
  const begun = useMemo(() => {
    if (isFiltered) return null
    const of = known.current.versions === versions ? known.current.of : null
    known.current = { versions, of: beginnings(rows, !hasOlder, versions.madeAt, of) }
    return known.current.of?.found ?? null
  }, [rows, hasOlder, isFiltered, versions])
  const labelOf = (index: number): string | null => {
    const row = rows[index]
    if (!isLine(row)) return null
    const before = rows[index - 1]
    const words: string[] = []
    if (isLine(before) && new Date(before.at).toDateString() !== new Date(row.at).toDateString())
      words.push(formatTime(row.at, 'exact'))
    if (begun?.has(row.key))
      words.push(`${versions.text(row.contentId)}: container ${shortContainerName(row.container)} begins`)
    const text = words.join(', ')
    return text ? text.charAt(0).toUpperCase() + text.slice(1) : null
  }

  const [from, to] = selection
    ? [Math.min(selection.anchor, selection.head), Math.max(selection.anchor, selection.head)]
    : [1, 0]

  const select = (row: Row | undefined, extend: boolean) => {
    if (!isLine(row)) return
    onFollow(false)
    onSelect(extend && selection ? { ...selection, head: row.key } : { anchor: row.key, head: row.key })
  }
  const keyOf = (target: EventTarget) => {
    if (!(target instanceof Element) || target.closest('button')) return null
    const key = target.closest('[data-key]')?.getAttribute('data-key')
    return key === null || key === undefined ? null : Number(key)
  }
  const move = (event: KeyboardEvent, by: number) => {
    event.preventDefault()
    const start = selection ? indexOfKey(rows, selection.head) + by : by > 0 ? firstIndex : lastIndex
    let at = Math.max(0, Math.min(rows.length - 1, start))
    while (rows[at] && !isLine(rows[at])) at += by
    select(rows[at], event.shiftKey)
    virtual.scrollToIndex(at, { align: 'auto' })
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp') move(event, -1)
    else if (event.key === 'ArrowDown') move(event, 1)
    else if (event.key === 'Enter' && event.target === scroller.current && selection) onOpen()
    else if (event.key === 'Escape' && selection) onSelect(null)
    else if (/^(Page|Home|End)/.test(event.key)) isByPerson(WHEEL_MS)
  }

  return (
    <div
      ref={scroller}
      className={styles.scroller}
      data-wrap={wrapLogs || undefined}
      role="log"
      aria-live="off"
      aria-label="Lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and its keys select lines
      tabIndex={0}
      onScroll={scrolled}
      onWheel={() => isByPerson(WHEEL_MS)}
      onTouchMove={() => isByPerson(TOUCH_MS)}
      onPointerDown={(event) => event.target === scroller.current && isByPerson(DRAG_MS)}
      onKeyDown={pressed}
      onClick={(event) => {
        // Text that is being selected stays selected.
        if (getSelection()?.isCollapsed === false && !event.shiftKey) return
        const key = keyOf(event.target)
        if (key !== null) select(rows[indexOfKey(rows, key)], event.shiftKey)
      }}
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onContextMenu={(event) => {
        const key = keyOf(event.target)
        if (key === null || (event.nativeEvent as globalThis.PointerEvent).pointerType !== 'touch') return
        event.preventDefault()
        onCopy(key)
      }}
    >
      <div className={styles.sizer} style={{ height: virtual.getTotalSize() }}>
        <div className={styles.top}>{top}</div>
        <div className={styles.shown} style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ index, key }) => {
            const row = rows[index]
            if (!row) return null
            const label = labelOf(index)
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-key={row.key}
                className={styles.row}
                data-selected={(row.key >= from && row.key <= to) || undefined}
              >
                {label && <p className={styles.label}>{label}</p>}
                {isLine(row) ? (
                  <Line
                    row={row}
                    query={query}
                    hidden={hidden}
                    zone={zone}
                    isWhole={whole.has(row.key)}
                    onWhole={showWhole}
                  />
                ) : (
                  <p className={styles.label}>{row.note}</p>
                )}
              </div>
            )
          })}
        </div>
        <div className={styles.bottom}>{bottom}</div>
      </div>
    </div>
  )
}
