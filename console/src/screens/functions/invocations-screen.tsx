import { type CSSProperties, useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty, Facts, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { SLEEP_DEPTHS, Status, statusOf } from '../../ui/status.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import { Invocations } from './documents.ts'
import styles from './functions.module.css'

/** Whether a function is awake, why, and what its requests met. */
export default function InvocationsScreen() {
  return <EnvironmentPage title="Invocations">{(environment) => <Content environment={environment} />}</EnvironmentPage>
}

const METRICS = [
  'INVOCATIONS',
  'INVOCATION_ERRORS',
  'DURATION_P50',
  'DURATION_P95',
  'DURATION_P99',
  'QUEUE_TIME',
  'COLD_STARTS_FROZEN',
  'COLD_STARTS_STOPPED',
  'COLD_STARTS_NONE',
] as const
type Shown = (typeof METRICS)[number]

const STEPS = {
  ONE_MINUTE: { label: 'The last hour', minutes: 1 },
  FIVE_MINUTES: { label: 'The last 5 hours', minutes: 5 },
  FIFTEEN_MINUTES: { label: 'The last 15 hours', minutes: 15 },
  ONE_HOUR: { label: 'The last 60 hours', minutes: 60 },
} as const
type Step = keyof typeof STEPS

/** The shortest step; nothing new is known sooner. */
const REFRESH_MS = 60_000

function Content({ environment }: { environment: Head }) {
  const { id, cliEnvName: env } = environment
  const [parameters, setParameters] = useSearchParams()
  const chosen = (parameters.get('step') ?? 'FIVE_MINUTES') as Step
  const step: Step = chosen in STEPS ? chosen : 'FIVE_MINUTES'
  const { data, refusals, isLoading, refetch } = useData(Invocations, {
    variables: { env, step, metrics: [...METRICS] },
    readAgainOn: ({ type, appEnvId }) => appEnvId === id && type === 'APP_ENV_WOKEN',
  })
  // No event says that it fell asleep, or that it was measured.
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && refetch(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refetch])
  if (isLoading) return <Skeleton lines={10} />
  const appEnv = data?.appEnv
  if (!appEnv) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : null
  const rows = rowsOf(data.metricSeriesList ?? [], STEPS[step].minutes)
  return (
    <>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      <Section title="Now">
        <Awake environment={environment} appEnv={appEnv} />
      </Section>
      <Limits env={env} appEnv={appEnv} />
      <Section
        title="Invocations"
        isFlush
        actions={
          <select
            className="control"
            aria-label="Range"
            value={step}
            onChange={(event) => setParameters({ step: event.target.value }, { replace: true })}
          >
            {Object.entries(STEPS).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        }
      >
        {rows.some(({ INVOCATIONS }) => INVOCATIONS > 0) ? (
          <>
            <div className={styles.totals}>
              <Totals rows={rows} />
            </div>
            <InvocationTable rows={rows} />
          </>
        ) : (
          <Empty title="No request came in this time">
            <p>A request to its URL wakes it; how long that took is then shown here.</p>
            {environment.url && (
              <p>
                <code>curl {environment.url}</code>
              </p>
            )}
          </Empty>
        )}
      </Section>
    </>
  )
}

type AppEnv = NonNullable<ResultOf<typeof Invocations>['appEnv']>

function Awake({ environment, appEnv }: { environment: Head; appEnv: AppEnv }) {
  const { sleeping, sleepDepth, sleepReason, sleepingSince, replicas, functionConfig } = appEnv
  if (!sleeping)
    return (
      <div className="stack tight">
        <p className="row">
          <Status {...statusOf({ ...environment, ...appEnv })} />
          {appEnv.status === 'RUNNING' && (
            <span>
              awake with {replicas.running} of at most {functionConfig?.maxScale} containers
            </span>
          )}
        </p>
        {functionConfig && appEnv.status === 'RUNNING' && (
          <p className="soft">
            {functionConfig.minScale > 0
              ? `It never sleeps: at least ${functionConfig.minScale} are kept.`
              : `It falls asleep after ${durationText(functionConfig.idleSeconds * 1_000)} without a request.`}
          </p>
        )}
      </div>
    )
  const depth = sleepDepth ? SLEEP_DEPTHS[sleepDepth] : null
  return (
    <div className="stack tight">
      <p className="row">
        <Status {...statusOf({ ...environment, ...appEnv })} />
        {sleepingSince && (
          <span className="soft">
            since <Time at={sleepingSince} style="exact" /> (<Time at={sleepingSince} />)
          </span>
        )}
      </p>
      {depth && <p>{depth.about}</p>}
      {sleepReason && <p className="soft">Why: {visibleText(sleepReason)}</p>}
      <p className="soft">The next request wakes it.</p>
    </div>
  )
}

function Limits({ env, appEnv: { functionConfig, resources } }: { env: string; appEnv: AppEnv }) {
  if (!functionConfig) return null
  const { minScale, maxScale, concurrency, idleSeconds, timeoutSeconds } = functionConfig
  return (
    <Section
      title="Limits"
      actions={
        <LinkButton icon="settings" href={pathTo('settings', { env })}>
          Change them
        </LinkButton>
      }
    >
      <Facts
        of={[
          ['Containers', minScale === 0 ? `none while idle, at most ${maxScale}` : `${minScale} to ${maxScale}`],
          ['Requests at a time, per container', concurrency],
          ['Idle time before sleep', durationText(idleSeconds * 1_000)],
          ['Time to begin an answer', durationText(timeoutSeconds * 1_000)],
          ['Size of each', `${resources.cpu} CPU, ${resources.memory} MB`],
        ]}
      />
    </Section>
  )
}

/** Counts of a step; durations are those of its requests. */
type Row = { at: string } & Record<Shown, number>

type Series = NonNullable<ResultOf<typeof Invocations>['metricSeriesList']>

const PER_MINUTE: ReadonlySet<string> = new Set([
  'INVOCATIONS',
  'INVOCATION_ERRORS',
  'COLD_STARTS_FROZEN',
  'COLD_STARTS_STOPPED',
  'COLD_STARTS_NONE',
])

/** A row for each step that was measured, newest first. */
function rowsOf(series: Series, minutes: number): Row[] {
  const rows = new Map<string, Row>()
  for (const { metric, points } of series) {
    for (const { timestamp, value } of points) {
      const row = rows.get(timestamp) ?? emptyRow(timestamp)
      rows.set(timestamp, row)
      row[metric as Shown] = PER_MINUTE.has(metric) ? Math.round(value * minutes) : value
    }
  }
  return [...rows.values()].sort((a, b) => (a.at < b.at ? 1 : -1))
}

const emptyRow = (at: string): Row => ({
  at,
  INVOCATIONS: 0,
  INVOCATION_ERRORS: 0,
  DURATION_P50: 0,
  DURATION_P95: 0,
  DURATION_P99: 0,
  QUEUE_TIME: 0,
  COLD_STARTS_FROZEN: 0,
  COLD_STARTS_STOPPED: 0,
  COLD_STARTS_NONE: 0,
})

const sumOf = (rows: readonly Row[], metric: Shown) => rows.reduce((sum, row) => sum + row[metric], 0)

function Totals({ rows }: { rows: readonly Row[] }) {
  const invocations = sumOf(rows, 'INVOCATIONS')
  const errors = sumOf(rows, 'INVOCATION_ERRORS')
  const colds = [
    [sumOf(rows, 'COLD_STARTS_FROZEN'), 'frozen'],
    [sumOf(rows, 'COLD_STARTS_STOPPED'), 'stopped'],
    [sumOf(rows, 'COLD_STARTS_NONE'), 'no container'],
  ] as const
  const cold = colds.reduce((sum, [count]) => sum + count, 0)
  return (
    <Facts
      of={[
        ['Invocations', invocations],
        ['Errors', errors === 0 ? 'none' : `${errors} (${((errors / Math.max(1, invocations)) * 100).toFixed(1)} %)`],
        [
          'Cold starts',
          cold === 0
            ? 'none'
            : `${cold}: ${colds
                .filter(([count]) => count > 0)
                .map(([count, from]) => `${count} from ${from}`)
                .join(', ')}`,
        ],
      ]}
    />
  )
}

function InvocationTable({ rows }: { rows: readonly Row[] }) {
  const most = Math.max(1, ...rows.map(({ INVOCATIONS }) => INVOCATIONS))
  const slowest = Math.max(1, ...rows.map(({ DURATION_P95 }) => DURATION_P95))
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">Invocations</th>
          <th scope="col">Errors</th>
          <th scope="col">Half within</th>
          <th scope="col">95 % within</th>
          <th scope="col">99 % within</th>
          <th scope="col">Waited</th>
          <th scope="col" title="Woken from a frozen container, a stopped one, and none">
            Cold: frozen, stopped, none
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { at, INVOCATIONS, INVOCATION_ERRORS, DURATION_P50, DURATION_P95, DURATION_P99, QUEUE_TIME } = row
          const hasRequests = INVOCATIONS > 0
          return (
            <tr key={at}>
              <th scope="row">
                <time dateTime={at} title={formatTime(at, 'exact')}>
                  {formatTime(at)}
                </time>
              </th>
              <td data-name="Invocations">
                <Bar part={INVOCATIONS / most}>{INVOCATIONS}</Bar>
              </td>
              <td data-name="Errors" className={INVOCATION_ERRORS > 0 ? 'bad' : 'soft'}>
                {INVOCATION_ERRORS}
              </td>
              <td data-name="Half within">{hasRequests && durationText(DURATION_P50)}</td>
              <td data-name="95 % within">
                {hasRequests && <Bar part={DURATION_P95 / slowest}>{durationText(DURATION_P95)}</Bar>}
              </td>
              <td data-name="99 % within">{hasRequests && durationText(DURATION_P99)}</td>
              <td data-name="Waited" className="soft">
                {hasRequests && durationText(QUEUE_TIME)}
              </td>
              <td data-name="Cold starts">
                <Cold row={row} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Cold({ row: { COLD_STARTS_FROZEN, COLD_STARTS_STOPPED, COLD_STARTS_NONE } }: { row: Row }) {
  const counts = [COLD_STARTS_FROZEN, COLD_STARTS_STOPPED, COLD_STARTS_NONE]
  if (counts.every((count) => count === 0)) return <span className="soft">none</span>
  return <>{counts.join(', ')}</>
}

function Bar({ part, children }: { part: number; children: string | number }) {
  return (
    <span className={styles.measured}>
      <span className={styles.bar} style={{ '--part': part } as CSSProperties} aria-hidden="true" />
      {children}
    </span>
  )
}
