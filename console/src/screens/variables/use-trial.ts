import type { Variable } from '../../../../text/variable-changes.ts'
import { NO_ANSWER, type Refusal } from '../../graphql/refusal.ts'
import { useDryRun } from '../../graphql/use-dry-run.ts'
import { TryVariables } from './documents.ts'

/** What the API says against the variables; null where it would accept them, and while it has not answered. */
export function useTrial(input: { appEnvId: string; variables: Variable[] } | null): Refusal | null {
  const { refusal } = useDryRun(TryVariables, input)
  return refusal?.code === NO_ANSWER.code ? null : refusal
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
