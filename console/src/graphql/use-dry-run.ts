import { useEffect, useState } from 'react'
import type { AnyVariables, TypedDocumentNode } from 'urql'
import { readUncached, type Uncached } from './read-secret.ts'
import type { Refusal } from './refusal.ts'

export interface DryRun<Result> {
  /** Of the present input; null until the API has answered, and where it refused. */
  answer: Result | null
  refusal: Refusal | null
  isAsking: boolean
  /** The API has answered, of the present input. */
  isCurrent: boolean
}

type InputOf<Variables> = Variables extends { input: infer Input } ? Omit<Input, 'idempotencyKey' | 'dryRun'> : never

/** What is typed changes often; the API is asked once it rests. */
const WAIT_MS = 200

/** Asks the API what a call would do, whenever its input changes. Nothing is asked while the input is null. */
export function useDryRun<Result, Variables extends AnyVariables>(
  mutation: TypedDocumentNode<Result, Variables>,
  input: InputOf<Variables> | null,
): DryRun<Result> {
  const content = input === null ? null : JSON.stringify(input)
  const [answered, setAnswered] = useState<(Uncached<Result> & { content: string }) | null>(null)
  useEffect(() => {
    if (content === null) return setAnswered(null)
    let isWanted = true
    const timer = setTimeout(async () => {
      const variables = { input: { ...(JSON.parse(content) as object), dryRun: true } } as unknown as Variables
      const answer = await readUncached(mutation, variables)
      if (isWanted) setAnswered({ ...answer, content })
    }, WAIT_MS)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [mutation, content])
  const present = answered?.content === content ? answered : null
  return {
    answer: present && !present.refusal ? present.data : null,
    refusal: present?.refusal ?? null,
    isAsking: content !== null && present === null,
    isCurrent: content !== null && present !== null,
  }
}
