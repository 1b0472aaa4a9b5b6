import { type ReactNode, useEffect } from 'react'
import type { AnyVariables, TypedDocumentNode } from 'urql'
import { visibleText } from '../../../text/visible-text.ts'
import { useDryRun } from '../graphql/use-dry-run.ts'
import { type InputOf, useWrite } from '../graphql/use-write.ts'
import { Confirm } from './dialog.tsx'
import { Refused } from './refused.tsx'
import { say } from './toast.tsx'

interface ConfirmWriteProps<Result, Variables extends AnyVariables> {
  title: string
  isOpen: boolean
  onClose: () => void
  mutation: TypedDocumentNode<Result, Variables>
  input: InputOf<Variables>
  /** What the API says that it has done, in its answer. */
  messageOf: (answer: Result) => string | undefined
  /** Name that has to be typed first. */
  name?: string
  action: string
  /** What it means, beside what the API says. */
  children?: ReactNode
  onDone?: (answer: Result) => void
}

/** Before a dangerous write: its dry run says what it would do, or why it cannot be done. */
export function ConfirmWrite<Result, Variables extends AnyVariables>({
  title,
  isOpen,
  onClose,
  mutation,
  input,
  messageOf,
  name,
  action,
  children,
  onDone,
}: ConfirmWriteProps<Result, Variables>) {
  const { send, isSending, refusal, reset } = useWrite(mutation)
  const dryRun = useDryRun(mutation, (isOpen ? input : null) as Parameters<typeof useDryRun<Result, Variables>>[1])
  useEffect(() => {
    if (!isOpen) reset()
  }, [isOpen, reset])
  const message = dryRun.answer ? messageOf(dryRun.answer) : undefined
  return (
    <Confirm
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      {...(name === undefined || dryRun.refusal ? {} : { name })}
      action={action}
      isSending={isSending}
      isReady={dryRun.answer !== null}
      refusal={refusal}
      onConfirm={async () => {
        const answer = await send(input)
        if (!answer) return
        const done = messageOf(answer)
        if (done) say(done)
        onClose()
        onDone?.(answer)
      }}
    >
      {children}
      {message && <p className="soft">{visibleText(message)}</p>}
      {dryRun.refusal && <Refused refusal={dryRun.refusal} />}
    </Confirm>
  )
}
