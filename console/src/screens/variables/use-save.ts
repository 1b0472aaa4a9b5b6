import { useRef, useState } from 'react'
import { useClient } from 'urql'
import { changeCount, type Variable, variableChanges } from '../../../../text/variable-changes.ts'
import type { Head } from '../../environment/environment-page.tsx'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { say } from '../../ui/toast.tsx'
import { SetVariables, VariablesOf } from './documents.ts'
import { type Editing, type Read, variablesOf } from './variables-draft.ts'

export const differs = (one: readonly Variable[], other: readonly Variable[]): boolean =>
  changeCount(variableChanges(one, other)) > 0

/** Times that a call is sent again because something else of the environment has changed. */
const MAX_REPEATS = 3

/** Saves the draft. Where the variables were changed meanwhile, it says what they are now. */
export function useSave({ id: appEnvId, cliEnvName: env }: Head, draft: Editing, onReadAgain: () => void) {
  const client = useClient()
  const { send, isSending, refusal, reset } = useWrite(SetVariables)
  const [theirs, setTheirs] = useState<Read | null>(null)
  const last = useRef(draft)
  last.current = draft
  const readNow = async (): Promise<Read | null> => {
    const { data } = await client.query(VariablesOf, { env }, { requestPolicy: 'network-only' }).toPromise()
    return data?.appEnv ?? null
  }
  const save = async (applyImmediately: boolean) => {
    const variables = variablesOf(last.current.rows)
    let expectedVersion = last.current.baseVersion
    for (let attempt = 0; attempt <= MAX_REPEATS; attempt += 1) {
      const answer = await send({ appEnvId, variables, applyImmediately, expectedVersion })
      if (answer?.setVariables) {
        last.current.discard()
        setTheirs(null)
        return answer.setVariables
      }
      const present = await readNow()
      if (!present || present.version === expectedVersion) return null
      // Its version grows with deployments too: only other variables are a conflict.
      if (differs(present.variables, last.current.base)) {
        setTheirs(present)
        reset()
        return null
      }
      expectedVersion = present.version
    }
    onReadAgain()
    return null
  }
  return { save, isSending, refusal, reset, theirs, compareWith: setTheirs }
}

export type Saving = ReturnType<typeof useSave>

/** Says what a save has done. */
export function sayOf(answer: { appliedImmediately: boolean; notAppliedReason: string | null }, env: string): void {
  if (answer.appliedImmediately) say('Saved, and being applied', pathTo('deployments', { env }))
  else if (answer.notAppliedReason) say(`Saved, but not applied: ${answer.notAppliedReason}`)
  else say('Saved. It runs once it is applied.')
}
