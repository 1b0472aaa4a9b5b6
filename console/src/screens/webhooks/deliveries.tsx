import { useState } from 'react'
import { Link } from 'wouter'
import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { eventText } from '../../account/event-words.ts'
import { useMissing } from '../../account/session.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Empty, Facts, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Status } from '../../ui/status.tsx'
import { LoadMore, Table } from '../../ui/table.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { RedeliverWebhook, WebhookAttempts, WebhookDeliveries } from './documents.ts'
import { DELIVERY_STATUS, type Delivery } from './webhook-words.ts'
import styles from './webhooks.module.css'

/** What was sent, what waits, what was given up. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const [parameters, set] = useParameters()
  const chosen = parameters.get('status') ?? ''
  const status = chosen in DELIVERY_STATUS ? (chosen as Delivery['status']) : null
  return (
    <List
      key={status}
      webhookId={webhookId}
      status={status}
      filter={
        <select
          className="control"
          aria-label="Status of the deliveries"
          value={status ?? ''}
          onChange={({ target }) => set({ status: target.value })}
        >
          <option value="">All</option>
          {Object.entries(DELIVERY_STATUS).map(([name, { word }]) => (
            <option key={name} value={name}>
              {word}
            </option>
          ))}
        </select>
      }
    />
  )
}

interface ListProps {
  webhookId: string
  status: Delivery['status'] | null
  filter: React.ReactNode
}

function List({ webhookId, status, filter }: ListProps) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(WebhookDeliveries, {
    variables: { webhookId, after, status: status ? [status] : null },
    // Any event may be one that it sends.
    readAgainOn: () => after === null,
  })
  const list = data?.webhookDeliveries
  return (
    <Section
      title="Deliveries"
      isFlush
      actions={
        <>
          {filter}
          <IconButton icon="refreshCw" label="Read the deliveries again" onClick={refetch} isBusy={isStale} />
        </>
      }
    >
      {isLoading && <Skeleton lines={6} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title={status ? 'No delivery has this status' : 'Nothing was sent yet'}>
          <p>Every event that it sends is listed here with what its receiver answered. A test is sent at once.</p>
        </Empty>
      )}
      <ol className={styles.deliveries}>
        {list?.nodes.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} onRedelivered={refetch} />
        ))}
      </ol>
      {list && (
        <LoadMore
          hasMore={list.pageInfo.hasNextPage}
          isLoading={isStale}
          onMore={() => setAfter(list.pageInfo.endCursor ?? null)}
        />
      )}
    </Section>
  )
}

function DeliveryRow({ delivery, onRedelivered }: { delivery: Delivery; onRedelivered: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const { eventType, status, attempts, answerStatus, error, createdAt, appEnv } = delivery
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Status {...DELIVERY_STATUS[status]} />
          <span className="clip">
            {eventText(eventType)} {appEnv && <span className="soft">{nameOf(appEnv)}</span>}
            {error && <span className="bad"> {visibleText(error)}</span>}
          </span>
          <span className="soft">
            {answerStatus ? `Answer ${answerStatus}` : 'No answer'}
            {attempts > 1 && `, ${attempts} attempts`}
          </span>
          <span className={styles.when}>
            <Time at={createdAt} />
          </span>
        </summary>
        {isOpen && <Detail delivery={delivery} onRedelivered={onRedelivered} />}
      </details>
    </li>
  )
}

function Detail({ delivery, onRedelivered }: { delivery: Delivery; onRedelivered: () => void }) {
  const { id, eventType, eventCursor, status, answer, nextAttemptAt, endedAt, appEnv } = delivery
  const missing = useMissing('webhook:manage')
  const { data, refusals, refetch } = useData(WebhookAttempts, { variables: { deliveryId: id } })
  const redeliver = useWrite(RedeliverWebhook)
  const attempts = data?.webhookAttempts ?? []
  return (
    <div className={styles.detail}>
      <Facts
        of={[
          ['Event', eventText(eventType)],
          ['Its number among the events', eventCursor],
          [
            'Environment',
            appEnv && (
              <Link key="env" href={pathTo('deployments', { env: appEnv.cliEnvName })}>
                {nameOf(appEnv)}
              </Link>
            ),
          ],
          ['Header webhook-id', <Copyable key="id" text={id} label="Copy the id" />],
          status === 'PENDING'
            ? ['Next attempt', nextAttemptAt ? <Time key="next" at={nextAttemptAt} /> : 'Now']
            : [DELIVERY_STATUS[status].word, <Time key="ended" at={endedAt} />],
        ]}
      />
      {answer && (
        <div className="stack tight">
          <h3>What the receiver answered last</h3>
          <pre>{visibleText(answer)}</pre>
        </div>
      )}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {attempts.length > 0 && (
        <Table
          label="Attempts"
          rows={attempts}
          keyOf={({ number }) => `${id}-${number}`}
          columns={[
            { name: 'Attempt', kind: 'header', cell: ({ number }) => number },
            { name: 'At', cell: ({ attemptedAt }) => formatTime(attemptedAt, 'exact') },
            { name: 'Took', cell: ({ durationMs }) => durationText(durationMs) },
            { name: 'Answer', cell: ({ answerStatus }) => answerStatus ?? 'None' },
            {
              name: 'Outcome',
              cell: ({ delivered, error }) =>
                delivered ? (
                  <span className="good">Delivered</span>
                ) : (
                  <span className="bad">{visibleText(error ?? 'Failed')}</span>
                ),
            },
          ]}
        />
      )}
      {redeliver.refusal && <Refused refusal={redeliver.refusal} />}
      <p>
        <Button
          icon="refreshCw"
          missing={missing ?? (status === 'PENDING' ? 'It is not ended yet' : null)}
          isBusy={redeliver.isSending}
          onClick={async () => {
            const answer = await redeliver.send({ deliveryId: id })
            if (!answer?.redeliverWebhookDelivery) return
            say('The event is sent again')
            onRedelivered()
            refetch()
          }}
        >
          Send it again
        </Button>
      </p>
    </div>
  )
}
