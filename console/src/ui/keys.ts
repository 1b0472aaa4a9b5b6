import { useEffect, useRef } from 'react'
import { preferences } from './preferences.ts'

/** What a key does, for the list that `?` shows. */
export interface Key {
  /** `d`, `Mod+k`, or two in a row: `g l`. */
  keys: string
  about: string
  run: () => void
  /** Where it is false, the key does what it does in the browser. */
  when?: () => boolean
}

const SEQUENCE_MS = 1_200

const active = new Set<{ current: readonly Key[] }>()

/** The keys of all that is on screen. */
export const activeKeys = (): Key[] => [...active].flatMap(({ current }) => current)

/** Keys of a component, while it is shown. Single ones are off in fields, and where the person turned them off. */
export function useKeys(keys: readonly Key[]): void {
  const held = useRef(keys)
  held.current = keys
  useEffect(() => {
    active.add(held)
    return () => {
      active.delete(held)
    }
  }, [])
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

let before = { key: '', at: 0 }
/** A key that may also begin two in a row waits for the second. */
let waiting: ReturnType<typeof setTimeout> | undefined
const WAIT_MS = 400

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || event.repeat) return
  const isMod = event.ctrlKey || event.metaKey
  if (event.altKey || (!isMod && (isField(event.target) || !preferences().singleKeys))) return
  const pressed = isMod ? `Mod+${event.key.toLowerCase()}` : event.key
  const pair = Date.now() - before.at < SEQUENCE_MS ? `${before.key} ${pressed}` : ''
  // The topmost of those that have the key: it appeared last.
  const found = activeKeys().findLast(
    ({ keys, when }) => (keys === pair || (keys === pressed && !isWithin(pair))) && (when?.() ?? true),
  )
  clearTimeout(waiting)
  before = { key: pressed, at: Date.now() }
  // A dialog has the page to itself, except for its own keys.
  if (!found || (!isMod && document.querySelector('dialog[open]'))) return
  event.preventDefault()
  const mayGoOn = found.keys === pressed && activeKeys().some(({ keys }) => keys.startsWith(`${pressed} `))
  if (mayGoOn) waiting = setTimeout(found.run, WAIT_MS)
  else found.run()
})

/** Whether two keys in a row mean something, so that the second alone does not. */
const isWithin = (pair: string) => pair !== '' && activeKeys().some(({ keys }) => keys === pair)
