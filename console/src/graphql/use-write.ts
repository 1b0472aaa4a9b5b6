import { useCallback, useRef, useState } from 'react'
import { type AnyVariables, type TypedDocumentNode, useClient } from 'urql'
import { NO_ANSWER, type Refusal, refusalsOf } from './refusal.ts'

export interface Write<Result, Input> {
  /** The answer; null when it was refused, and then `refusal` says why. */
  send: (input: Input) => Promise<Result | null>
  isSending: boolean
  refusal: Refusal | null
  /** Forgets the refusal. */
  reset: () => void
}

export type InputOf<Variables> = Variables extends { input: infer Input } ? Omit<Input, 'idempotencyKey'> : never

/**
 * Sends a mutation. Repeats of the same input have the same idempotency key, so that nothing happens twice when an answer
 * was lost; another input is another call.
 */
export function useWrite<Result, Variables extends AnyVariables>(
  mutation: TypedDocumentNode<Result, Variables>,
): Write<Result, InputOf<Variables>> {
  const client = useClient()
  const [isSending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const last = useRef<{ content: string; key: string } | null>(null)
  const send = useCallback(
    async (input: InputOf<Variables>) => {
      const content = JSON.stringify(input)
      if (last.current?.content !== content) last.current = { content, key: crypto.randomUUID() }
      const variables = { input: { ...(input as object), idempotencyKey: last.current.key } } as unknown as Variables
      setSending(true)
      setRefusal(null)
      const { data, error } = await client.mutation(mutation, variables).toPromise()
      setSending(false)
      const [refused] = refusalsOf(error)
      if (refused || !data) {
        // A refusal that was recorded would be repeated under its key; without an answer, the key is what protects.
        if (refused && refused.code !== NO_ANSWER.code) last.current = null
        setRefusal(refused ?? NO_ANSWER)
        return null
      }
      last.current = null
      return data
    },
    [client, mutation],
  )
  return { send, isSending, refusal, reset: useCallback(() => setRefusal(null), []) }
}
