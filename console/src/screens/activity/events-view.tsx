import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { EVENT_GROUPS, type EventType, eventText } from '../../account/event-words.ts'
import { EnvironmentNames } from '../../account/member-documents.ts'
import { useAccount } from '../../account/session.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Filters, SelectFilter, TimeFilter } from '../../ui/filters.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { useRowKeys } from '../../ui/row-keys.ts'
import { wordsOf } from '../../ui/status.tsx'
import { LoadMore } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import styles from './activity.module.css'
import { PastEvents } from './documents.ts'

type PastEvent = NonNullable<ResultOf<typeof PastEvents>['events']>['nodes'][number]

const TYPES = EVENT_GROUPS.flatMap(({ types }) => types)

/** The events of the account, as far back as they are kept; new ones appear by themselves. */
export function EventsView() {
  const { id: accountId } = useAccount()
  const [parameters, set] = useParameters()
  const type = TYPES.find(({ value }) => value === parameters.get('type'))?.value ?? null
  const appEnvId = parameters.get('env')
  const from = parameters.get('from')
  const to = parameters.get('to')
  const environments = useData(EnvironmentNames, { variables: { accountId } }).data?.appEnvs?.nodes ?? []
  return (
    <>
      <Filters isFoldable>
        <SelectFilter
          label="Kind"
          value={type ?? ''}
          onChange={(chosen) => set({ type: chosen })}
          options={[{ value: '', label: 'All' }, ...TYPES]}
        />
        <SelectFilter
          label="Environment"
          value={appEnvId ?? ''}
          onChange={(env) => set({ env })}
          options={[
            { value: '', label: 'All' },
            ...environments.map((environment) => ({ value: environment.id, label: nameOf(environment) })),
          ]}
        />
        <TimeFilter label="From" value={from ?? ''} onChange={(value) => set({ from: value })} />
        <TimeFilter label="To" value={to ?? ''} onChange={(value) => set({ to: value })} />
      </Filters>
      <Events key={`${type} ${appEnvId} ${from} ${to}`} filter={{ accountId, type, appEnvId, from, to }} />
    </>
  )
}

interface EventFilter {
  accountId: string
  type: EventType | null
  appEnvId: string | null
  from: string | null
  to: string | null
}

function Events({ filter }: { filter: EventFilter }) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(PastEvents, {
    variables: { ...filter, type: filter.type ? [filter.type] : null, after },
    readAgainOn: () => after === null,
  })
  const list = data?.events
  const rows = useRowKeys<HTMLOListElement>('event')
  if (isLoading) return <Skeleton lines={10} />
  return (
    <Section title="Events, newest first" isFlush>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title="No event matches the filter">
          <p>Deployments, changes of health, job runs and all that was changed appear here as they happen.</p>
        </Empty>
      )}
      <ol ref={rows} className={styles.entries}>
        {list?.nodes.map((event) => (
          <EventRow key={event.cursor} event={event} />
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

function EventRow({ event: { type, createdAt, payload, app, appEnv, operation } }: { event: PastEvent }) {
  const said = payload as { reason?: unknown; message?: unknown; name?: unknown; health?: unknown; status?: unknown }
  const about = [said.name, said.health ?? said.status, said.message ?? said.reason]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .map((part) => (/^[A-Z][A-Z_]+$/.test(part) ? wordsOf(part) : part))
  return (
    <li className={styles.entry}>
      <div className={styles.what}>
        <b>{eventText(type)}</b>
        {appEnv ? (
          <Link href={pathTo('deployments', { env: appEnv.cliEnvName })}>{nameOf(appEnv)}</Link>
        ) : (
          app && <Link href={pathTo('app', { appId: app.id })}>{visibleText(app.name)}</Link>
        )}
        {operation && <span className="soft">{wordsOf(operation.kind)}</span>}
        {about.length > 0 && <span className="soft">{visibleText(about.join(': ').split('\n')[0] ?? '')}</span>}
      </div>
      <span className={styles.when}>
        <Time at={createdAt} />
      </span>
      {Object.keys(payload as object).length > 0 && (
        <details className={styles.more}>
          <summary>What it says</summary>
          <div className={styles.detail}>
            <pre>{visibleText(JSON.stringify(payload, null, 2))}</pre>
          </div>
        </details>
      )}
    </li>
  )
}
