import { useSyncExternalStore } from 'react'
import { preferences, usePreferences } from './preferences.ts'

const TICK_MS = 10_000

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function listen(onChange: () => void): () => void {
  listeners.add(onChange)
  timer ??= setInterval(() => {
    if (document.visibilityState === 'hidden') return
    now = Date.now()
    for (const listener of listeners) listener()
  }, TICK_MS)
  return () => {
    listeners.delete(onChange)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

document.addEventListener('visibilitychange', () => {
  now = Date.now()
  for (const listener of listeners) listener()
})

/** The time, every ten seconds: one clock for all that a page shows. */
export const useNow = (): number => useSyncExternalStore(listen, () => now)

const STYLES = {
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  exact: {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

const formats = new Map<string, Intl.DateTimeFormat>()

/** In the zone that the person chose. */
export function formatTime(at: string | number | Date, style: keyof typeof STYLES = 'minute'): string {
  const { zone } = preferences()
  const key = `${style} ${zone}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat('en', { ...STYLES[style], ...(zone === 'utc' ? { timeZone: 'UTC' } : {}) })
    formats.set(key, format)
  }
  return format.format(new Date(at))
}

/** The zone that a person chose, as IANA names it. */
export const chosenTimeZone = (): string =>
  preferences().zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone

const UNITS = [
  ['y', 31_536_000],
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

/** `5 min ago`, `in 2 h`; seconds only as "just now". */
export function relativeTime(at: number, present: number): string {
  const seconds = Math.round((present - at) / 1000)
  const size = Math.abs(seconds)
  const unit = UNITS.find(([, length]) => size >= length)
  // What happened after the last tick of the clock is not in the future.
  if (!unit) return seconds >= -TICK_MS / 1_000 ? 'just now' : 'in a moment'
  const count = `${Math.floor(size / unit[1])} ${unit[0]}`
  return seconds >= 0 ? `${count} ago` : `in ${count}`
}

/** Relative, and current; the exact time in its title. Nothing where it is null. */
export function Time({ at, style }: { at: string | null | undefined; style?: keyof typeof STYLES }) {
  const present = useNow()
  usePreferences()
  if (!at) return null
  return (
    <time dateTime={at} title={formatTime(at, 'exact')}>
      {style ? formatTime(at, style) : relativeTime(Date.parse(at), Math.max(present, Date.now() - TICK_MS))}
    </time>
  )
}
