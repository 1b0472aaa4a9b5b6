import { useState } from 'react'

/** What was typed into the fields of a form, by name. */
export type Draft = Readonly<Record<string, string>>

const PREFIX = 'berth.draft.'

export function readDraft(key: string): Draft {
  return readKept<Draft>(key) ?? {}
}

export const writeDraft = (key: string, draft: Draft): void => keep(key, draft)

export function removeDraft(key: string): void {
  try {
    sessionStorage.removeItem(PREFIX + key)
  } catch {
    // Nothing was kept, either.
  }
}

/** Kept for this tab, over reloads. Null where there is none, or where it is not to be read. */
export function readKept<Value>(key: string): Value | null {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + key) ?? 'null') as Value | null
  } catch {
    return null
  }
}

export function keep(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + key, JSON.stringify(value))
  } catch {
    // A browser that keeps nothing: the fields keep it until the page is closed.
  }
}

/** State that survives navigation and reload: for what is typed outside forms. */
export function useDraft<Value>(key: string, initial: Value): [Value, (value: Value) => void, () => void] {
  const [value, setValue] = useState(() => readKept<Value>(key) ?? initial)
  const set = (next: Value) => {
    setValue(next)
    keep(key, next)
  }
  const clear = () => {
    setValue(initial)
    removeDraft(key)
  }
  return [value, set, clear]
}
