import { useCallback, useEffect, useRef, useState } from 'react'
import type { AnyVariables, TypedDocumentNode } from 'urql'
import { readUncached, type Uncached } from './read-uncached.ts'
import type { Refusal } from './refusal.ts'

/** How long a secret stays on the screen. */
export const SECRET_SHOWN_MS = 30_000

export interface Secret<Value> {
  /** Null while it is hidden. */
  value: Value | null
  refusal: Refusal | null
  isReading: boolean
  show: () => Promise<void>
  hide: () => void
}

/** A secret that is read when it is asked for, and forgotten after half a minute, or when the tab is left. */
export function useSecret<Result, Variables extends AnyVariables>(
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
): Secret<Result> {
  const [{ data, refusal }, setShown] = useState<Uncached<Result>>({ data: null, refusal: null })
  const [isReading, setReading] = useState(false)
  const wanted = useRef(variables)
  wanted.current = variables
  const hide = useCallback(() => setShown({ data: null, refusal: null }), [])
  const show = useCallback(async () => {
    setReading(true)
    const answer = await readUncached(document, wanted.current)
    setReading(false)
    // The tab was left while it was on its way.
    if (globalThis.document.visibilityState === 'visible') setShown(answer)
  }, [document])
  useEffect(() => {
    if (data === null) return
    const onLeave = () => globalThis.document.visibilityState === 'hidden' && hide()
    const timer = setTimeout(hide, SECRET_SHOWN_MS)
    globalThis.document.addEventListener('visibilitychange', onLeave)
    return () => {
      clearTimeout(timer)
      globalThis.document.removeEventListener('visibilitychange', onLeave)
    }
  }, [data, hide])
  return { value: data, refusal, isReading, show, hide }
}
