import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { CancelOperation, RetryOperation } from '../../environment/documents.ts'
import type { OperationState } from '../../graphql/documents.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Refused } from '../../ui/refused.tsx'
import { outcomeOf, Status, wordsOf } from '../../ui/status.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import styles from './deployments.module.css'

export type Operation = ResultOf<typeof OperationState>

export const isOpen = ({ status }: Pick<Operation, 'status'>) => status === 'QUEUED' || status === 'RUNNING'

/** The steps of an operation with their times, against its deadline; what went wrong, and what can be done. */
export function OperationProgress({ operation }: { operation: Operation }) {
  const { kind, status, steps, attempt, maxAttempts, startedAt, finishedAt, deadlineAt, message, requester } = operation
  const present = useNow()
  const open = isOpen(operation)
  const end = finishedAt ? Date.parse(finishedAt) : Math.max(present, Date.now())
  const left = Date.parse(deadlineAt) - end
  return (
    <div className="stack tight">
      <div className="spread">
        <p className="row">
          <b>{wordsOf(kind)}</b>
          <Status {...outcomeOf(status)} />
          <span className="soft">
            {[
              startedAt && `${open ? 'for' : 'in'} ${durationText(end - Date.parse(startedAt))}`,
              attempt > 1 && `attempt ${attempt} of ${maxAttempts}`,
              open && (left > 0 ? `ends within ${durationText(left)}` : 'past its deadline'),
              requester && `by ${visibleText(requester.username)}`,
            ]
              .filter(Boolean)
              .join(', ')}
          </span>
          {!open && <Time at={finishedAt} />}
        </p>
        <OperationActions operation={operation} />
      </div>
      <ol className={styles.steps}>
        {steps.map((step, at) => (
          <Step key={step.name} step={step} isLast={at === steps.length - 1} status={status} />
        ))}
        {status === 'QUEUED' && (
          <li className={styles.step}>
            <Icon name="clock" className="soft" />
            <span>Waiting for a worker</span>
          </li>
        )}
      </ol>
      {message && status !== 'SUCCEEDED' && (
        <pre className={`${styles.message} ${open ? '' : styles.failed}`}>{visibleText(message)}</pre>
      )}
    </div>
  )
}

interface StepProps {
  step: Operation['steps'][number]
  isLast: boolean
  status: Operation['status']
}

function Step({ step: { name, detail, startedAt, finishedAt }, isLast, status }: StepProps) {
  const present = useNow()
  const runs = !finishedAt && isLast && (status === 'RUNNING' || status === 'QUEUED')
  const hasFailed = !finishedAt && isLast && status === 'FAILED'
  const took = (finishedAt ? Date.parse(finishedAt) : Math.max(present, Date.now())) - Date.parse(startedAt)
  return (
    <li className={styles.step}>
      <Icon
        name={finishedAt ? 'check' : runs ? 'loader' : hasFailed ? 'x' : 'circleStop'}
        className={finishedAt ? 'good' : runs ? 'info' : hasFailed ? 'bad' : 'soft'}
      />
      <b>{name}</b>
      <span className={styles.took}>{finishedAt || runs ? durationText(took) : hasFailed ? 'failed' : ''}</span>
      <span className={styles.detail}>{detail && visibleText(detail)}</span>
    </li>
  )
}

function OperationActions({ operation: { id: operationId, status, isDeadLetter } }: { operation: Operation }) {
  const missing = useMissing('appEnv:operate')
  const cancel = useWrite(CancelOperation)
  const retry = useWrite(RetryOperation)
  const refusal = cancel.refusal ?? retry.refusal
  return (
    <div className="row">
      {(status === 'QUEUED' || status === 'RUNNING') && (
        <Button
          icon="x"
          missing={missing}
          isBusy={cancel.isSending}
          onClick={async () => {
            const answer = await cancel.send({ operationId })
            if (answer?.cancelOperation) say(answer.cancelOperation.message)
          }}
        >
          Cancel
        </Button>
      )}
      {isDeadLetter && (
        <Button
          icon="rotateCcw"
          missing={missing}
          isBusy={retry.isSending}
          onClick={async () => {
            const answer = await retry.send({ operationId })
            if (answer?.retryOperation) say(answer.retryOperation.message)
          }}
        >
          Retry
        </Button>
      )}
      {refusal && <Refused refusal={refusal} />}
    </div>
  )
}
