import { useCallback, useEffect, useRef } from 'react'
import { type AnyVariables, type TypedDocumentNode, useQuery } from 'urql'
import { type LiveEvent, onEvent } from './live.ts'
import { type Refusal, refusalsOf } from './refusal.ts'

export interface Data<Result> {
  /** Null while nothing is known. Parts that were refused are null in it. */
  data: Result | null
  refusals: Refusal[]
  /** Nothing is known yet, and an answer is on its way. */
  isLoading: boolean
  /** It is from the cache, or older than the connection; an answer is on its way. */
  isStale: boolean
  refetch: () => void
}

interface Options<Variables> {
  variables: Variables
  /** Whether an event makes a new read necessary: of lists that something was added to or removed from. */
  readAgainOn?: (event: LiveEvent) => boolean
  isPaused?: boolean
}

/** Events that come together share a read. */
const TOGETHER_MS = 300

/**
 * Reads a document: from the cache at once, and from the server. What it shows of nodes stays current by itself; lists
 * are read again when an event says so, and everything is when events were missed.
 */
export function useData<Result, Variables extends AnyVariables>(
  query: TypedDocumentNode<Result, Variables>,
  { variables, readAgainOn, isPaused = false }: Options<Variables>,
): Data<Result> {
  const [{ data, error, fetching, stale }, execute] = useQuery({ query, variables, pause: isPaused } as Parameters<
    typeof useQuery<Result, Variables>
  >[0])
  // The same function for as long as the component lives: what depends on it does not begin anew with each answer.
  const asked = useRef(execute)
  asked.current = execute
  const refetch = useCallback(() => asked.current({ requestPolicy: 'network-only' }), [])
  // Without an answer, what was known stays: a screen with a draft must not go because the API restarts.
  const known = useRef<{ of: string; data: Result } | null>(null)
  const of = JSON.stringify(variables)
  if (data) known.current = { of, data }
  const shown = data ?? (error?.networkError && known.current?.of === of ? known.current.data : null)
  const wanted = useRef(readAgainOn)
  wanted.current = readAgainOn
  useEffect(() => {
    if (isPaused) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEvent((event) => {
      if (event && !wanted.current?.(event)) return
      timer ??= setTimeout(() => {
        timer = undefined
        refetch()
      }, TOGETHER_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [refetch, isPaused])
  return {
    data: shown,
    refusals: refusalsOf(error),
    isLoading: !shown && fetching,
    isStale: stale || (fetching && shown !== null),
    refetch,
  }
}
