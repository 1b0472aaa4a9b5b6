import { type RefObject, useRef } from 'react'
import { useKeys } from './keys.ts'

/** `j` and `k` move along the rows of a list by the first link or button of each; Enter then opens it, as it does anyway. */
export function useRowKeys<Rows extends HTMLElement>(what: string): RefObject<Rows | null> {
  const rows = useRef<Rows>(null)
  const move = (by: number) => {
    const all = [...(rows.current?.children ?? [])]
    const at = all.findIndex((row) => row.matches(':focus-within'))
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))]
    next?.querySelector<HTMLElement>('a, button, summary')?.focus()
  }
  useKeys([
    { keys: 'j', about: `Next ${what}`, run: () => move(1) },
    { keys: 'k', about: `Previous ${what}`, run: () => move(-1) },
  ])
  return rows
}
