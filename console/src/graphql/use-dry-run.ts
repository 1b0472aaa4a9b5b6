import { useEffect, useState } from 'react'
import { type AnyVariables, type TypedDocumentNode, useClient } from 'urql'
import { type Refusal, refusalsOf } from './refusal.ts'
import type { InputOf } from './use-write.ts'

export interface DryRun<Result> {
  /** What the write would answer. */
  answer: Result | null
  /** Why it would be refused. */
  refusal: Refusal | null
  isRunning: boolean
}

/** What a write would do, while `input` is one. */
export function useDryRun<Result, Variables extends AnyVariables>(
  mutation: TypedDocumentNode<Result, Variables>,
  input: InputOf<Variables> | null,
): DryRun<Result> {
  const client = useClient()
  const content = JSON.stringify(input)
  const [state, setState] = useState<DryRun<Result> & { of: string }>({
    answer: null,
    refusal: null,
    isRunning: false,
    of: 'null',
  })
  useEffect(() => {
    if (content === 'null') return
    let isWanted = true
    const variables = { input: { ...JSON.parse(content), dryRun: true } } as unknown as Variables
    void client
      .mutation(mutation, variables)
      .toPromise()
      .then(({ data, error }) => {
        if (isWanted)
          setState({ answer: data ?? null, refusal: refusalsOf(error)[0] ?? null, isRunning: false, of: content })
      })
    return () => {
      isWanted = false
    }
  }, [client, mutation, content])
  if (state.of !== content) return { answer: null, refusal: null, isRunning: content !== 'null' }
  return state
}
