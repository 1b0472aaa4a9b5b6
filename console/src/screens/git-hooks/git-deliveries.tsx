import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { nameOf } from '../../environment/environment-text.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Shown, Status } from '../../ui/status.tsx'
import { LoadMore } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { GitDeliveries } from './documents.ts'
import styles from './git-hooks.module.css'

type Delivery = NonNullable<ResultOf<typeof GitDeliveries>['gitDeliveries']>['nodes'][number]
type Outcome = Delivery['outcome']

const OUTCOMES: Readonly<Record<Outcome, Shown>> = {
  DEPLOYED: { icon: 'rocket', word: 'Deployed', tone: 'good' },
  DELETED: { icon: 'trash', word: 'Deleted', tone: 'info' },
  IGNORED: { icon: 'circleDashed', word: 'Ignored', tone: 'soft' },
}

/** What git hosts delivered: what each push deployed, or why not. */
export function GitDeliveryList({ accountId }: { accountId: string }) {
  const [parameters, set] = useParameters()
  const chosen = parameters.get('outcome') ?? ''
  const outcome = chosen in OUTCOMES ? (chosen as Outcome) : null
  const gitHookId = parameters.get('hook')
  const branch = parameters.get('branch')
  return (
    <List
      key={`${outcome} ${gitHookId} ${branch}`}
      filter={{ accountId, gitHookId, branch, outcome }}
      isFiltered={outcome !== null || gitHookId !== null || branch !== null}
      controls={
        <>
          {(gitHookId || branch) && (
            <Button icon="x" onClick={() => set({ hook: null, branch: null })}>
              Of every hook and branch
            </Button>
          )}
          <select
            className="control"
            aria-label="Outcome of the deliveries"
            value={outcome ?? ''}
            onChange={({ target }) => set({ outcome: target.value })}
          >
            <option value="">All</option>
            {Object.entries(OUTCOMES).map(([name, { word }]) => (
              <option key={name} value={name}>
                {word}
              </option>
            ))}
          </select>
        </>
      }
    />
  )
}

interface ListProps {
  filter: { accountId: string; gitHookId: string | null; branch: string | null; outcome: Outcome | null }
  isFiltered: boolean
  controls: React.ReactNode
}

function List({ filter: { outcome, ...filter }, isFiltered, controls }: ListProps) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(GitDeliveries, {
    variables: { ...filter, after, outcome: outcome ? [outcome] : null },
    readAgainOn: ({ type }) => type === 'OPERATION_QUEUED' && after === null,
  })
  const list = data?.gitDeliveries
  return (
    <Section title="Deliveries" isFlush actions={controls}>
      {isLoading && <Skeleton lines={4} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title={isFiltered ? 'No delivery matches the filter' : 'No git host has delivered anything yet'}>
          <p>Each push and pull request appears here: with what was deployed for it, or why nothing was.</p>
        </Empty>
      )}
      <ol className={styles.deliveries}>
        {list?.nodes.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} />
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

const SHORT_COMMIT = 9

function Row({ delivery }: { delivery: Delivery }) {
  const { id, event, repository, branch, commitId, pullRequestNumber, pusher, outcome, message, createdAt } = delivery
  return (
    <li className={styles.delivery} id={id}>
      <Status {...OUTCOMES[outcome]} />
      <div className={styles.what}>
        <span>
          {pullRequestNumber ? `Pull request ${pullRequestNumber}` : <b>{visibleText(branch ?? event)}</b>}{' '}
          {commitId && <code title={commitId}>{visibleText(commitId.slice(0, SHORT_COMMIT))}</code>}{' '}
          <span className="soft">
            {[repository, pusher && `by ${pusher}`]
              .filter((part): part is string => Boolean(part))
              .map(visibleText)
              .join(' ')}
          </span>
        </span>
        <span>{visibleText(message)}</span>
        {delivery.environments.length > 0 && (
          <ul className={styles.environments}>
            {delivery.environments.map((environment) => (
              <Environment key={`${environment.appEnvId} ${environment.appId}`} environment={environment} />
            ))}
          </ul>
        )}
      </div>
      <span className={styles.when}>
        <Time at={createdAt} />
      </span>
    </li>
  )
}

function Environment({ environment }: { environment: Delivery['environments'][number] }) {
  const { outcome, message, appEnv, app, operation } = environment
  const env = appEnv?.cliEnvName
  const deployment = operation?.deployment
  return (
    <li>
      {env ? (
        <Link href={pathTo('deployments', { env })}>{nameOf(appEnv)}</Link>
      ) : (
        visibleText(app?.name ?? 'An environment that is gone')
      )}
      : {OUTCOMES[outcome].word.toLowerCase()}
      {env && deployment && (
        <>
          {' '}
          as <Link href={pathTo('deployment', { env, deploymentId: deployment.id })}>version {deployment.version}</Link>
        </>
      )}
      {message && <span className="soft">, {visibleText(message)}</span>}
    </li>
  )
}
