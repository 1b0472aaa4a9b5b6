import { useCallback, useEffect, useRef, useState } from 'react'
import { type AnyVariables, stringifyDocument, type TypedDocumentNode } from 'urql'
import { NO_ANSWER, type Refusal, refusalOf, type SentError } from './refusal.ts'

export interface Uncached<Result> {
  data: Result | null
  refusal: Refusal | null
}

/**
 * Sends a document past the cache: what it answers is in nobody’s memory but the caller’s. For secrets, and for dry runs,
 * whose answers describe what is not so.
 */
export async function readUncached<Result, Variables extends AnyVariables>(
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Uncached<Result>> {
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
      credentials: 'same-origin',
      cache: 'no-store',
      body: JSON.stringify({ query: stringifyDocument(document), variables }),
    })
    const { data, errors } = (await response.json()) as { data?: Result; errors?: SentError[] }
    const [error] = errors ?? []
    return { data: data ?? null, refusal: error ? refusalOf(error) : null }
  } catch {
    return { data: null, refusal: NO_ANSWER }
  }
}

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
