import { useSyncExternalStore } from 'react'

/** What a person chose for this browser, on every page. */
export interface Preferences {
  scheme: 'system' | 'light' | 'dark'
  zone: 'local' | 'utc'
  singleKeys: boolean
  wrapLogs: boolean
  /** Of the log: times, levels, containers. */
  hiddenLogColumns: string[]
  pinned: string[]
}

const DEFAULTS: Preferences = {
  scheme: 'system',
  zone: 'local',
  singleKeys: true,
  wrapLogs: true,
  hiddenLogColumns: [],
  pinned: [],
}
const KEY = 'berth.preferences'

let current = load()
const listeners = new Set<() => void>()

function load(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) }
  } catch {
    return DEFAULTS
  }
}

export const preferences = (): Preferences => current

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  current = { ...current, [name]: value }
  try {
    localStorage.setItem(KEY, JSON.stringify(current))
  } catch {
    // A browser that keeps nothing: it holds until the page is closed.
  }
  show()
  for (const listener of listeners) listener()
}

function show(): void {
  document.documentElement.dataset.scheme = current.scheme
}
show()

export function usePreferences(): Preferences {
  return useSyncExternalStore((onChange) => {
    listeners.add(onChange)
    return () => listeners.delete(onChange)
  }, preferences)
}
