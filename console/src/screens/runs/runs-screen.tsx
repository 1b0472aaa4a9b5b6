import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { useRowKeys } from '../../ui/row-keys.ts'
import { outcomeOf, Status } from '../../ui/status.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { JobRuns } from './documents.ts'
import { RunDialog } from './run-dialog.tsx'
import { causeOf, commandText, type JobRun, progressText } from './run-text.ts'
import styles from './runs.module.css'
import { ScheduleSection } from './schedule-section.tsx'

/** Runs of a job, or one-off commands of another app: what ran, what runs, what will. */
export default function RunsScreen() {
  const [isRunning, setRunning] = useState(false)
  const missing = useMissing('jobRun:operate')
  useKeys([{ keys: 'r', about: 'Run', run: () => missing === null && setRunning(true) }])
  return (
    <EnvironmentPage
      title="Runs"
      actions={() => (
        <Button kind="primary" icon="play" missing={missing} onClick={() => setRunning(true)}>
          Run…
        </Button>
      )}
    >
      {(environment) => <Content environment={environment} isRunning={isRunning} onRun={setRunning} />}
    </EnvironmentPage>
  )
}

const FILTERS = {
  all: { label: 'All', status: undefined },
  open: { label: 'Open', status: ['QUEUED', 'RUNNING'] },
  failed: { label: 'Failed', status: ['FAILED', 'TIMED_OUT'] },
  succeeded: { label: 'Succeeded', status: ['SUCCEEDED'] },
} as const

interface ContentProps {
  environment: Head
  isRunning: boolean
  onRun: (isRunning: boolean) => void
}

function Content({ environment, isRunning, onRun }: ContentProps) {
  const { id, cliEnvName: env, jobConfig } = environment
  const [parameters, setParameters] = useSearchParams()
  const [, navigate] = useLocation()
  const [after, setAfter] = useState<string | null>(null)
  const missing = useMissing('jobRun:operate')
  const shown = (parameters.get('show') ?? 'all') as keyof typeof FILTERS
  const { status } = FILTERS[shown] ?? FILTERS.all
  const { data, refusals, isLoading, refetch } = useData(JobRuns, {
    variables: { env, after, status: status ? [...status] : undefined },
    readAgainOn: ({ appEnvId, type }) => appEnvId === id && type.startsWith('JOB_'),
  })
  if (isLoading) return <Skeleton lines={10} />
  const list = data?.jobRuns
  const config = data?.appEnv?.jobConfig ?? null
  return (
    <>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {data?.appEnv && jobConfig && (
        <ScheduleSection env={env} appEnvId={id} schedule={data.appEnv.jobSchedule} onChanged={refetch} />
      )}
      <Section
        title={list && list.totalCount > 0 ? `Runs: ${list.totalCount}` : 'Runs'}
        isFlush
        actions={
          <select
            className="control"
            aria-label="Show"
            value={shown}
            onChange={(event) => {
              setAfter(null)
              setParameters(event.target.value === 'all' ? {} : { show: event.target.value }, { replace: true })
            }}
          >
            {Object.entries(FILTERS).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        }
      >
        {list?.nodes.length === 0 &&
          (status ? (
            <Empty title="No run is like that" />
          ) : (
            <Empty
              title="Nothing ran yet"
              actions={
                <Button kind="primary" icon="play" missing={missing} onClick={() => onRun(true)}>
                  Run…
                </Button>
              }
            >
              <p>Each run keeps its exit code, its attempts and its output, whatever becomes of its container.</p>
              <p>
                <code>berth run -e {env} -- command</code>
              </p>
            </Empty>
          ))}
        {list && list.nodes.length > 0 && <Runs env={env} runs={list.nodes} />}
        {list?.pageInfo.hasNextPage && (
          <div className={styles.more}>
            <Button onClick={() => setAfter(list.pageInfo.endCursor ?? null)}>
              {list.nodes.length} of {list.totalCount}: load more
            </Button>
          </div>
        )}
      </Section>
      <RunDialog
        environment={environment}
        configured={config}
        isJob={jobConfig !== null}
        isOpen={isRunning}
        onClose={() => onRun(false)}
        onCreated={(runId) => navigate(pathTo('run', { env, runId }))}
      />
    </>
  )
}

function Runs({ env, runs }: { env: string; runs: readonly JobRun[] }) {
  const rows = useRowKeys<HTMLTableSectionElement>('run')
  const present = Math.max(useNow(), Date.now())
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Requested</th>
          <th scope="col">Status</th>
          <th scope="col">Exit code</th>
          <th scope="col">Duration</th>
          <th scope="col">Command</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody ref={rows}>
        {runs.map((run) => (
          <tr key={run.id}>
            <th scope="row">
              <Link href={pathTo('run', { env, runId: run.id })} className={styles.link}>
                <Time at={run.queuedAt} style="minute" />
              </Link>{' '}
              <span className="soft">
                <Time at={run.queuedAt} />
              </span>
            </th>
            <td>
              <Status {...outcomeOf(run.status)} />
              {run.message && (run.status === 'FAILED' || run.status === 'TIMED_OUT') && (
                <p className={styles.cause}>{visibleText(run.message.split('\n', 1)[0] ?? '')}</p>
              )}
            </td>
            <td data-name="exit code">
              {run.exitCode !== null && <code>{run.exitCode}</code>}
              {run.attempts.length > 1 && <span className="soft"> after {run.attempts.length} attempts</span>}
            </td>
            <td>{progressText(run, present)}</td>
            <td className={styles.command}>
              <code>{visibleText(commandText(run.commandSnapshot) ?? 'that of the image')}</code>
            </td>
            <td className="soft">
              {causeOf(run)}
              {run.retriesId && ', again'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
