import { useEffect, useState } from 'react'
import type { Refusal } from './refusal.ts'

const SETTLED_MS = 600

export interface DryRun {
  /** What it would change; null while it is not known, and where it is refused. */
  changes: unknown
  refusal: Refusal | null
  /** Of what is typed now. */
  isCurrent: boolean
}

/** Asks for a dry run of what is typed, once the typing pauses. `input` as text, null while there is too little. */
export function useDryRun(
  input: string | null,
  ask: (input: string) => Promise<unknown>,
  { isSending, refusal }: { isSending: boolean; refusal: Refusal | null },
): DryRun {
  const [answered, setAnswered] = useState<{ input: string; changes: unknown } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the input alone decides whether to ask again
  useEffect(() => {
    if (input === null) return
    const timer = setTimeout(async () => setAnswered({ input, changes: await ask(input) }), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [input])
  const isCurrent = input !== null && answered?.input === input && !isSending
  return { changes: answered?.changes ?? null, refusal: isCurrent ? refusal : null, isCurrent }
}
