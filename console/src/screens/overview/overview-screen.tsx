import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import { Address, type Environment, nameOf, troubleOf } from '../../environment/environment-text.tsx'
import type { LiveEvent } from '../../graphql/live.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { setPreference, usePreferences } from '../../ui/preferences.ts'
import { Refused } from '../../ui/refused.tsx'
import { Status, statusOf, wordsOf } from '../../ui/status.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { Announced } from '../../ui/toast.tsx'
import { Environments, EnvironmentsNamed, Overview } from './documents.ts'
import styles from './overview.module.css'

const PAGE = 50
const DAY_MS = 86_400_000
const SEARCH_WAIT_MS = 150

/** Of what appears, disappears or ends: which lists an environment is in may change. */
const changesLists = ({ type }: LiveEvent) =>
  /^(APP|APP_ENV)_(CREATED|DELETED)$|^OPERATION_(QUEUED|SUCCEEDED|FAILED|CANCELLED)$|HEALTH_CHANGED$/.test(type)

/** Is it well, what changed, what now: trouble first, then what runs, then everything. */
export default function OverviewScreen() {
  const account = useAccount()
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString())
  const { data, refusals, isLoading, refetch } = useData(Overview, {
    variables: { accountId: account.id, since },
    readAgainOn: changesLists,
  })
  const troubled = troubledOf(data)
  const open = data?.open?.nodes ?? []
  const missing = useMissing('app:change')
  return (
    <Page
      title={visibleText(account.name)}
      actions={
        <LinkButton kind="primary" icon="plus" href={pathTo('newApp', { account: account.slug })} missing={missing}>
          New app
        </LinkButton>
      }
    >
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      <Announced text={troubled.length > 0 ? `${troubled.length} environments need attention` : 'No trouble'} />
      {troubled.length > 0 && (
        <Section title={`Needs attention: ${troubled.length}`} isFlush>
          <ul className={styles.rows}>
            {troubled.map((environment) => (
              <TroubledRow key={environment.id} environment={environment} />
            ))}
          </ul>
        </Section>
      )}
      {open.length > 0 && (
        <Section title={`Runs now: ${data?.open?.totalCount ?? open.length}`} isFlush>
          <ul className={styles.rows}>
            {open.map((operation) => (
              <OpenRow key={operation.id} operation={operation} />
            ))}
          </ul>
        </Section>
      )}
      {isLoading ? <Skeleton /> : null}
      <AllEnvironments accountId={account.id} slug={account.slug} />
    </Page>
  )
}

type OverviewData = NonNullable<
  ReturnType<typeof useData<import('../../graphql/graphql.ts').ResultOf<typeof Overview>, never>>['data']
>

/** Those that are down or half down, and those whose newest deployment failed, each once. */
function troubledOf(data: OverviewData | null): Environment[] {
  const failed = (data?.failed?.nodes ?? []).flatMap(({ appEnv }) => (appEnv ? [appEnv] : []))
  const all = [...(data?.troubled?.nodes ?? []), ...failed].filter((environment) => {
    const { tone } = statusOf(environment)
    return tone === 'bad' || tone === 'warn'
  })
  return [...new Map(all.map((environment) => [environment.id, environment])).values()]
}

function TroubledRow({ environment }: { environment: Environment }) {
  const trouble = troubleOf(environment)
  const failed = environment.latestDeployment
  const href =
    failed?.status === 'FAILED'
      ? pathTo('deployment', { env: environment.cliEnvName, deploymentId: failed.id })
      : pathTo('deployments', { env: environment.cliEnvName })
  return (
    <li>
      <Link href={href} className={styles.trouble}>
        <span className={styles.name}>{nameOf(environment)}</span>
        <Status {...statusOf(environment)} />
        {trouble && <span className={styles.cause}>{visibleText(trouble)}</span>}
        <span className={styles.when}>
          <Time at={failed?.finishedAt ?? environment.observedAt} />
        </span>
      </Link>
    </li>
  )
}

type OpenOperation = NonNullable<OverviewData['open']>['nodes'][number]

function OpenRow({ operation }: { operation: OpenOperation }) {
  const { kind, status, steps, startedAt, deadlineAt, attempt, maxAttempts, requester, appEnv } = operation
  const present = useNow()
  if (!appEnv) return null
  const step = steps.at(-1)
  const left = Date.parse(deadlineAt) - present
  return (
    <li>
      <Link href={pathTo('deployments', { env: appEnv.cliEnvName })} className={styles.trouble}>
        <span className={styles.name}>{nameOf(appEnv)}</span>
        <span className="info row">
          <Icon name="loader" />
          {wordsOf(kind)}: {status === 'QUEUED' ? 'queued' : (step?.name ?? 'starting')}
          {attempt > 1 && `, attempt ${attempt} of ${maxAttempts}`}
        </span>
        <span className={styles.cause}>
          {[
            startedAt && `running for ${durationText(present - Date.parse(startedAt))}`,
            left > 0 ? `ends within ${durationText(left)}` : 'past its deadline',
            requester && `by ${visibleText(requester.username)}`,
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
      </Link>
    </li>
  )
}

const FILTERS = {
  all: { label: 'All', variables: {} },
  down: { label: 'Unhealthy', variables: { health: ['UNHEALTHY', 'DEGRADED'] } },
  updating: { label: 'Updating', variables: { status: ['UPDATING'] } },
  running: { label: 'Running', variables: { status: ['RUNNING'] } },
  stopped: { label: 'Stopped', variables: { status: ['STOPPED'] } },
} as const

function AllEnvironments({ accountId, slug }: { accountId: string; slug: string }) {
  const [parameters, setParameters] = useSearchParams()
  const filter = (parameters.get('show') ?? 'all') as keyof typeof FILTERS
  const text = parameters.get('name') ?? ''
  const chosen = FILTERS[filter] ?? FILTERS.all
  const setFilter = (name: string, value: string) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
  return (
    <Section
      title="Environments"
      isFlush
      actions={
        <>
          <select
            className="control"
            aria-label="Show"
            value={filter}
            onChange={(event) => setFilter('show', event.target.value)}
          >
            {Object.entries(FILTERS).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
          <input
            type="search"
            className="control"
            aria-label="Name of an environment"
            placeholder="Name"
            defaultValue={text}
            onChange={(event) => setFilter('name', event.target.value)}
          />
        </>
      }
    >
      {text.trim() ? (
        <Named accountId={accountId} text={text.trim()} />
      ) : (
        <Paged
          key={filter}
          accountId={accountId}
          slug={slug}
          variables={chosen.variables}
          isFiltered={filter !== 'all'}
        />
      )}
    </Section>
  )
}

function Named({ accountId, text }: { accountId: string; text: string }) {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SEARCH_WAIT_MS)
    return () => clearTimeout(timer)
  }, [text])
  const { data, refusals, refetch } = useData(EnvironmentsNamed, { variables: { accountId, text: settled } })
  if (refusals[0]) return <Refused refusal={refusals[0]} onRetry={refetch} />
  if (!data) return <Skeleton />
  const found = (data.search ?? []).flatMap(({ kind, appEnv }) => (kind === 'APP_ENV' && appEnv ? [appEnv] : []))
  if (found.length === 0) return <Empty title={`No environment has “${visibleText(settled)}” in its name`} />
  return <Rows environments={found} />
}

interface PagedProps {
  accountId: string
  slug: string
  variables: (typeof FILTERS)[keyof typeof FILTERS]['variables']
  isFiltered: boolean
}

function Paged({ accountId, slug, variables, isFiltered }: PagedProps) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, refetch } = useData(Environments, {
    variables: { accountId, first: PAGE, after, ...variables } as never,
    readAgainOn: changesLists,
  })
  const list = data?.appEnvs
  if (refusals[0] && !list) return <Refused refusal={refusals[0]} onRetry={refetch} />
  if (!list) return <Skeleton lines={6} />
  if (list.nodes.length === 0)
    return isFiltered ? <Empty title="No environment is like that" /> : <FirstApp slug={slug} />
  const { hasNextPage, endCursor } = list.pageInfo
  return (
    <>
      <Rows environments={list.nodes} />
      {hasNextPage && <More onMore={() => setAfter(endCursor)} shown={list.nodes.length} total={list.totalCount} />}
    </>
  )
}

/** Loads on as it comes into view; by keyboard, it is a button. */
function More({ onMore, shown, total }: { onMore: () => void; shown: number; total: number }) {
  const place = useRef<HTMLDivElement>(null)
  const wanted = useRef(onMore)
  wanted.current = onMore
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && wanted.current(), {
      rootMargin: '300px',
    })
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place} className={styles.more}>
      <Button onClick={onMore}>
        {shown} of {total}: load more
      </Button>
    </div>
  )
}

function FirstApp({ slug }: { slug: string }) {
  const href = pathTo('newApp', { account: slug })
  return (
    <Empty
      title="No app yet"
      actions={
        <>
          <LinkButton kind="primary" icon="box" href={`${href}?from=image`}>
            From an image
          </LinkButton>
          <LinkButton icon="gitBranch" href={`${href}?from=git`}>
            From a repository
          </LinkButton>
          <LinkButton icon="database" href={`${href}?from=service`}>
            A database
          </LinkButton>
        </>
      }
    >
      <p>
        Give Berth an image or a repository, and it gives you a URL. Everything that runs is listed here, with its
        status.
      </p>
      <p>
        You can also <Link href={`${href}?from=upload`}>upload a folder</Link>, install a{' '}
        <Link href={pathTo('compose', { account: slug })}>compose file</Link>, or choose a{' '}
        <Link href={pathTo('solutions', { account: slug })}>solution</Link>. In the folder of Berth,{' '}
        <code>npm run demo</code> deploys a sample.
      </p>
    </Empty>
  )
}

function Rows({ environments }: { environments: readonly Environment[] }) {
  const { pinned } = usePreferences()
  const [, navigate] = useLocation()
  const list = useRef<HTMLTableSectionElement>(null)
  const sorted = [...environments].sort((a, b) => Number(pinned.includes(b.id)) - Number(pinned.includes(a.id)))
  const focused = () => sorted.findIndex(({ id }) => list.current?.querySelector('tr:focus-within')?.id === id)
  const focus = (at: number) => {
    const next = sorted[Math.max(0, Math.min(sorted.length - 1, at))]
    list.current?.querySelector<HTMLElement>(`#${next?.id} a`)?.focus()
  }
  useKeys([
    { keys: 'j', about: 'Next environment', run: () => focus(focused() + 1) },
    { keys: 'k', about: 'Previous environment', run: () => focus(focused() - 1) },
    {
      keys: 'p',
      about: 'Pin the environment to the top',
      run: () => {
        const environment = sorted[focused()]
        if (environment) togglePin(environment.id, pinned)
      },
    },
  ])
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col">Version</th>
          <th scope="col">Address</th>
          <th scope="col">
            <span className="visually-hidden">Pinned</span>
          </th>
        </tr>
      </thead>
      <tbody ref={list}>
        {sorted.map((environment) => (
          <Row
            key={environment.id}
            environment={environment}
            isPinned={pinned.includes(environment.id)}
            onPin={() => togglePin(environment.id, pinned)}
            onOpen={() => navigate(pathTo('deployments', { env: environment.cliEnvName }))}
          />
        ))}
      </tbody>
    </table>
  )
}

const togglePin = (id: string, pinned: readonly string[]) =>
  setPreference('pinned', pinned.includes(id) ? pinned.filter((each) => each !== id) : [...pinned, id])

interface RowProps {
  environment: Environment
  isPinned: boolean
  onPin: () => void
  onOpen: () => void
}

function Row({ environment, isPinned, onPin }: RowProps) {
  const { id, cliEnvName, app, name, currentDeployment, latestDeployment, url, pendingChanges } = environment
  const { hasBuildChanges, hasDeployChanges, hasScaleChanges } = pendingChanges
  return (
    <tr id={id}>
      <th scope="row">
        <Link href={pathTo('deployments', { env: cliEnvName })} className={styles.link}>
          <b>{visibleText(app.name)}</b> <span className="soft">{visibleText(name)}</span>
        </Link>
      </th>
      <td>
        <Status {...statusOf(environment)} />
        {(hasBuildChanges || hasDeployChanges || hasScaleChanges) && (
          <span className={styles.pending} title="Changes were saved that do not run yet">
            pending changes
          </span>
        )}
      </td>
      <td className="soft">
        {currentDeployment && (
          <>
            {currentDeployment.version}, <Time at={latestDeployment?.deployedAt} />
          </>
        )}
      </td>
      <td className={styles.address}>
        <Address url={url} />
      </td>
      <td className={styles.pin}>
        <IconButton
          icon="pin"
          label={isPinned ? `Unpin ${nameOf(environment)}` : `Pin ${nameOf(environment)} to the top`}
          aria-pressed={isPinned}
          onClick={onPin}
        />
      </td>
    </tr>
  )
}
