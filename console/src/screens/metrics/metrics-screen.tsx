import { useCallback, useEffect, useMemo, useState } from 'react'
import { stringifyDocument } from 'urql'
import { useLocation, useSearch } from 'wouter'
import { shortContainerName } from '../../../../text/container-name.ts'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { socket } from '../../graphql/connection.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { readUncached } from '../../graphql/read-uncached.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { formatTime } from '../../ui/time.tsx'
import { ContainerList } from './container-list.tsx'
import { Measured, MetricContext, MetricSeriesOf } from './documents.ts'
import styles from './metrics.module.css'
import { PlotCard } from './plot-card.tsx'
import {
  aligned,
  askedFor,
  type Plot,
  plotsOf,
  type Range,
  type Series,
  type Split,
  splitMetric,
  stepFor,
} from './plots.ts'

/** What an environment uses and does, over time, and its containers. */
export default function MetricsScreen() {
  return (
    <EnvironmentPage title="Metrics" isWide>
      {(environment) => <Metrics environment={environment} />}
    </EnvironmentPage>
  )
}

const HOUR = 3_600
const RANGES = [
  ['1h', 'Hour', HOUR],
  ['6h', '6 hours', 6 * HOUR],
  ['1d', 'Day', 24 * HOUR],
  ['7d', 'Week', 168 * HOUR],
  ['30d', 'Month', 720 * HOUR],
] as const
const USUAL = RANGES[0]

function Metrics({ environment }: { environment: Head }) {
  const { cliEnvName: env, id: appEnvId, jobConfig, functionConfig, dockerPresetVersion } = environment
  const kind = useMemo(
    () => ({ isJob: jobConfig !== null, isFunction: functionConfig !== null, isService: dockerPresetVersion !== null }),
    [jobConfig, functionConfig, dockerPresetVersion],
  )
  const { chosen, by, name, show } = useAddress()
  const measuredAt = useMeasured(env)
  const context = useData(MetricContext, {
    variables: { env },
    readAgainOn: (event) => event.appEnvId === appEnvId && event.type.startsWith('OPERATION_'),
  })
  const length = chosen ? chosen.to - chosen.from : (RANGES.find(([each]) => each === name) ?? USUAL)[2]
  const [step, stepSeconds] = stepFor(length)
  // Of a range that ends now, each step is read once.
  const now =
    Math.floor((measuredAt ? Math.max(Date.parse(measuredAt), Date.now()) : Date.now()) / 1000 / stepSeconds) *
    stepSeconds
  const to = chosen?.to ?? now + stepSeconds
  const range = useMemo(() => chosen ?? { from: to - length, to }, [chosen, to, length])
  const plots = useMemo(() => plotsOf(kind, context.data), [kind, context.data])
  const series = useSeries(env, plots, range, step, by, context.data !== null)
  const move = (direction: number) => {
    const shift = (direction * length) / 2
    show({ range: { from: range.from + shift, to: range.to + shift } })
  }
  const isInPast = chosen !== null
  useKeys([
    ...RANGES.map(([each, label], index) => ({
      keys: String(index + 1),
      about: `Show the last ${label.toLowerCase()}`,
      run: () => show({ name: each }),
    })),
    { keys: 'ArrowLeft', about: 'Go back by half of the time shown', run: () => move(-1) },
    { keys: 'ArrowRight', about: 'Go on by half of the time shown', run: () => move(1), when: () => isInPast },
  ])
  const choose = useCallback((next: Range) => show({ range: next }), [show])

  const deployments = context.data?.deployments?.nodes
  const marks = useMemo(
    () =>
      (deployments ?? [])
        .flatMap(({ version, deployedAt }) =>
          deployedAt ? [{ at: Date.parse(deployedAt) / 1000, label: `v${version}` }] : [],
        )
        .sort((a, b) => a.at - b.at),
    [deployments],
  )
  const cards = useMemo(
    () => plots.map((plot) => ({ plot, ...aligned(labelled(plot, series.series, by), range, stepSeconds) })),
    [plots, series.series, by, range, stepSeconds],
  )
  const whyEmpty = emptyWords(environment, kind.isJob)
  const allocated = context.data?.metrics?.allocated
  const logsHref = `${pathTo('logs', { env })}?from=${isoOf(range.from)}&to=${isoOf(range.to)}`
  return (
    <>
      <ContainerList env={env} appEnvId={appEnvId} measuredAt={measuredAt} isJob={kind.isJob} />
      <div className="spread">
        <div className="row">
          <fieldset className={styles.ranges}>
            <legend className="visually-hidden">Time</legend>
            {RANGES.map(([each, label]) => (
              <Button key={each} aria-pressed={!chosen && each === name} onClick={() => show({ name: each })}>
                {label}
              </Button>
            ))}
          </fieldset>
          <label>
            <span className="visually-hidden">Split</span>
            <select
              className="control"
              value={by ?? ''}
              onChange={(event) => show({ by: event.target.value as Split | '' })}
            >
              <option value="">All together</option>
              <option value="VERSION">By version</option>
              <option value="CONTAINER">By container</option>
            </select>
          </label>
        </div>
        <div className="row">
          {chosen && (
            <span>
              {formatTime(range.from * 1000)} – {formatTime(range.to * 1000)}
            </span>
          )}
          <LinkButton icon="scrollText" href={logsHref}>
            Logs of this time
          </LinkButton>
        </div>
      </div>
      {context.refusals[0] && <Refused refusal={context.refusals[0]} onRetry={context.refetch} />}
      {series.refusal && <Refused refusal={series.refusal} onRetry={series.refetch} />}
      {series.series === null && !series.refusal && <Skeleton lines={10} />}
      {series.series && (
        <div className={styles.plots}>
          {cards.map(({ plot, times, lines }) => (
            <PlotCard
              key={plot.title}
              title={plot.title}
              unit={plot.unit}
              times={times}
              lines={lines}
              range={range}
              marks={marks}
              limit={
                by || !allocated
                  ? null
                  : plot.title === 'CPU'
                    ? allocated.cpu
                    : plot.title === 'Memory'
                      ? allocated.memory
                      : null
              }
              whyEmpty={whyEmpty}
              onRange={choose}
            />
          ))}
        </div>
      )}
    </>
  )
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()

function emptyWords({ currentDeployment, status, sleeping }: Head, isJob: boolean): string {
  if (!currentDeployment && !isJob) return 'Nothing was deployed yet: it is measured from then on.'
  if (status === 'STOPPED') return 'Nothing was measured in this time. It is stopped.'
  if (sleeping) return 'Nothing was measured in this time. It is asleep.'
  return 'Nothing was measured in this time.'
}

/** The series of a plot, with what each is called. */
function labelled(plot: Plot, all: readonly Series[] | null, by: Split | null): [string, Series][] {
  const series = all ?? []
  if (by && plot.canSplit) {
    const wanted = splitMetric(plot)
    return series
      .filter(({ metric, contentId, containerName }) => metric === wanted && (contentId ?? containerName) !== null)
      .map((each) => [
        by === 'VERSION' ? `Version ${each.version ?? '?'}` : shortContainerName(each.containerName ?? '?'),
        each,
      ])
  }
  return plot.metrics.flatMap(([metric, label]) => {
    const found = series.find(
      (each) => each.metric === metric && each.contentId === null && each.containerName === null,
    )
    return found ? [[label, found] as [string, Series]] : []
  })
}

interface Shown {
  name?: string
  range?: Range
  by?: Split | ''
}

/** What is shown stands in the address. */
function useAddress() {
  const search = useSearch()
  const [address, navigate] = useLocation()
  const parameters = useMemo(() => new URLSearchParams(search), [search])
  const chosen = useMemo(() => {
    const [from, to] = [Date.parse(parameters.get('from') ?? ''), Date.parse(parameters.get('to') ?? '')]
    return to > from ? { from: from / 1000, to: to / 1000 } : null
  }, [parameters])
  const split = parameters.get('by')
  const show = useCallback(
    ({ name, range, by }: Shown) => {
      const next = new URLSearchParams(parameters)
      if (name || range) for (const each of ['from', 'to', 'range']) next.delete(each)
      if (name && name !== USUAL[0]) next.set('range', name)
      if (range) {
        next.set('from', isoOf(range.from))
        next.set('to', isoOf(range.to))
      }
      if (by === '') next.delete('by')
      else if (by) next.set('by', by.toLowerCase())
      const text = next.toString()
      navigate(text ? `${address}?${text}` : address)
    },
    [parameters, address, navigate],
  )
  const by: Split | null = split === 'version' ? 'VERSION' : split === 'container' ? 'CONTAINER' : null
  return { chosen, by, name: parameters.get('range') ?? USUAL[0], show }
}

const HIDDEN_STOP_MS = 60_000

/** The time of the last measurement: what is read again with each. A tab that is hidden for a minute gets none. */
function useMeasured(env: string): string | null {
  const [measuredAt, setMeasuredAt] = useState<string | null>(null)
  useEffect(() => {
    let unsubscribe: (() => void) | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const follow = () => {
      unsubscribe ??= socket.subscribe<ResultOf<typeof Measured>>(
        { query: stringifyDocument(Measured), variables: { env } },
        {
          next: ({ data }) => data?.metrics.measuredAt && setMeasuredAt(data.metrics.measuredAt),
          error: () => {},
          complete: () => {},
        },
      )
    }
    const stop = () => {
      unsubscribe?.()
      unsubscribe = null
    }
    const onVisibility = () => {
      clearTimeout(timer)
      if (document.visibilityState === 'hidden') timer = setTimeout(stop, HIDDEN_STOP_MS)
      else follow()
    }
    follow()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      clearTimeout(timer)
      stop()
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [env])
  return measuredAt
}

interface SeriesState {
  series: readonly Series[] | null
  refusal: Refusal | null
}

/** Past the cache: each step has an answer of its own, and a tab that is open for a day would keep them all. */
function useSeries(
  env: string,
  plots: readonly Plot[],
  { from, to }: Range,
  step: ReturnType<typeof stepFor>[0],
  by: Split | null,
  isReady: boolean,
) {
  const [state, setState] = useState<SeriesState>({ series: null, refusal: null })
  const [again, setAgain] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when it is asked for
  useEffect(() => {
    if (!isReady) return
    let isWanted = true
    const variables = { env, from: isoOf(from), to: isoOf(to), step, ...askedFor(plots, by) }
    void readUncached(MetricSeriesOf, variables).then(({ data, refusal }) => {
      if (!isWanted) return
      if (refusal || !data) setState((before) => ({ ...before, refusal }))
      else setState({ series: [...(data.whole ?? []), ...(data.split ?? [])], refusal: null })
    })
    return () => {
      isWanted = false
    }
  }, [env, plots, from, to, step, by, again, isReady])
  return { ...state, refetch: () => setAgain((count) => count + 1) }
}
