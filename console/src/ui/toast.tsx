import { useEffect, useState, useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import { IconButton } from './button.tsx'
import { Icon } from './icons.tsx'
import styles from './toast.module.css'

interface Toast {
  id: number
  text: string
  href?: string | undefined
}

const SHOWN_MS = 7_000
const MAX_TOASTS = 3

let toasts: Toast[] = []
let nextId = 0
const listeners = new Set<() => void>()

function become(next: Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Says what was done, for a few seconds; `href` leads to where it can be followed. */
export function say(text: string, href?: string): void {
  const toast = { id: nextId++, text, href }
  become([...toasts, toast].slice(-MAX_TOASTS))
  setTimeout(() => remove(toast.id), SHOWN_MS)
}

const remove = (id: number) => become(toasts.filter((toast) => toast.id !== id))

export function Toasts() {
  const shown = useSyncExternalStore(
    (onChange) => {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    () => toasts,
  )
  return (
    <div className={styles.toasts} role="status">
      {shown.map(({ id, text, href }) => (
        <div key={id} className={styles.toast}>
          <Icon name="check" className="good" />
          <span>{text}</span>
          {href && <Link href={href}>Follow it</Link>}
          <IconButton icon="x" label="Close" onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  )
}

const ANNOUNCE_MS = 5_000

/** Announces a status that changed, to screen readers alone, and at most one in five seconds. */
export function Announced({ text }: { text: string }) {
  const [said, setSaid] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), ANNOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <span className="visually-hidden" aria-live="polite">
      {said}
    </span>
  )
}
