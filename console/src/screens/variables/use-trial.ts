import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import type { Variable } from '../../../../text/variable-changes.ts'
import { NO_ANSWER, type Refusal, refusalsOf } from '../../graphql/refusal.ts'
import { TryVariables } from './documents.ts'

const AFTER_MS = 600

/** What the API says against the variables, asked a moment after the last change; null where it would accept them. */
export function useTrial(input: { appEnvId: string; variables: Variable[] } | null): Refusal | null {
  const client = useClient()
  const [found, setFound] = useState<{ content: string; refusal: Refusal | null } | null>(null)
  const content = input ? JSON.stringify(input) : ''
  useEffect(() => {
    if (content === '') return
    let isOver = false
    const timer = setTimeout(async () => {
      const { error } = await client
        .mutation(TryVariables, { input: { ...JSON.parse(content), dryRun: true } })
        .toPromise()
      const [refusal = null] = refusalsOf(error)
      // Without an answer, nothing is known; saving says so.
      if (!isOver && refusal?.code !== NO_ANSWER.code) setFound({ content, refusal })
    }, AFTER_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, content])
  return found && found.content === content ? found.refusal : null
}

/** Problem of each variable, by its place in what was sent. */
export function problemsOf(refusal: Refusal | null, place: number): string[] {
  const start = `variables.${place}.`
  return Object.entries(refusal?.fields ?? {}).flatMap(([field, message]) => (field.startsWith(start) ? [message] : []))
}

/** What is said of the list as a whole. */
export function generalProblem(refusal: Refusal | null): string | null {
  if (!refusal) return null
  const fields = Object.entries(refusal.fields)
  if (fields.length === 0) return refusal.message
  return fields.find(([field]) => !/^variables\.\d+\./.test(field))?.[1] ?? null
}
