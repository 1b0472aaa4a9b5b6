import { useEffect, useState } from 'react'
import { stringifyDocument } from 'urql'
import { Link, useLocation, useParams } from 'wouter'
import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { socket } from '../../graphql/connection.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Facts, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { outcomeOf, Status } from '../../ui/status.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import { Announced, say } from '../../ui/toast.tsx'
import { CancelJobRun, JobRunChanged, JobRunDetail, RetryJobRun, RunLines } from './documents.ts'
import { RunDialog } from './run-dialog.tsx'
import { causeOf, commandText, isOpenRun, type JobRun, progressText } from './run-text.ts'
import styles from './runs.module.css'

/** One run: how it ended or goes on, each attempt, what it writes, and the same again. */
export default function RunScreen() {
  return <EnvironmentPage title="Runs">{(environment) => <Run environment={environment} />}</EnvironmentPage>
}

function Run({ environment }: { environment: Head }) {
  const { runId = '' } = useParams<{ runId: string }>()
  const { data, refusals, isLoading, refetch } = useData(JobRunDetail, { variables: { id: runId } })
  const live = useLiveRun(runId)
  if (isLoading && !live) return <Skeleton lines={10} />
  const run = live ?? data?.jobRun
  if (!run) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : null
  return (
    <>
      <Outcome environment={environment} run={run} />
      <Output env={environment.cliEnvName} run={run} />
      {run.attempts.length > 0 && <Attempts run={run} />}
      <Executed run={run} />
    </>
  )
}

/** The run as it changes, until it has ended; null before the first answer. */
function useLiveRun(id: string): JobRun | null {
  const [run, setRun] = useState<JobRun | null>(null)
  useEffect(() => {
    let after: string | undefined
    const variables = {
      id,
      get after() {
        return after
      },
    }
    return socket.subscribe<ResultOf<typeof JobRunChanged>>(
      { query: stringifyDocument(JobRunChanged), variables },
      {
        next: ({ data }) => {
          if (!data) return
          after = data.jobRunChanged.cursor
          setRun(data.jobRunChanged.jobRun)
        },
        // The query says why it cannot be read.
        error: () => {},
        complete: () => {},
      },
    )
  }, [id])
  return run
}

function Outcome({ environment, run }: { environment: Head; run: JobRun }) {
  const { id, status, message, exitCode, attempts, queuedAt, retriesId, output, commandSnapshot } = run
  const { cliEnvName: env, jobConfig } = environment
  const open = isOpenRun(run)
  const present = useSeconds(open)
  const [, navigate] = useLocation()
  const [isChanging, setChanging] = useState(false)
  const missing = useMissing('jobRun:operate')
  const cancel = useWrite(CancelJobRun)
  const retry = useWrite(RetryJobRun)
  const refusal = cancel.refusal ?? retry.refusal
  const shown = outcomeOf(status)
  const progress = progressText(run, present)
  return (
    <Section
      title={`Run of ${formatTime(queuedAt)}`}
      actions={
        open ? (
          <Button
            icon="x"
            missing={missing}
            isBusy={cancel.isSending}
            onClick={async () => {
              if (await cancel.send({ jobRunId: id })) say('The run is cancelled')
            }}
          >
            Cancel
          </Button>
        ) : (
          <>
            <Button
              icon="rotateCcw"
              missing={missing}
              isBusy={retry.isSending}
              onClick={async () => {
                const again = (await retry.send({ jobRunId: id }))?.retryJobRun?.jobRun
                if (!again) return
                say('The same runs again')
                navigate(pathTo('run', { env, runId: again.id }))
              }}
            >
              Run again
            </Button>
            <Button icon="pencil" missing={missing} onClick={() => setChanging(true)}>
              With changes…
            </Button>
          </>
        )
      }
    >
      <div className="stack tight">
        <p className="row">
          <Status {...shown} />
          <Announced text={shown.word} />
          {progress && <span>{progress}</span>}
          {exitCode !== null && (
            <span>
              exit code <code>{exitCode}</code>
            </span>
          )}
          {attempts.length > 1 && (
            <span>
              attempt {attempts.length} of {commandSnapshot.backoffLimit + 1}
            </span>
          )}
          <span className="soft">
            <Time at={queuedAt} />, {causeOf(run)}
          </span>
        </p>
        {message && status !== 'SUCCEEDED' && (
          <pre className={`${styles.message} ${status === 'CANCELLED' ? '' : styles.failed}`}>
            {visibleText(message)}
          </pre>
        )}
        {output !== null && output !== undefined && (
          <div className="row">
            <span className="soft">Result</span>
            <code>{visibleText(JSON.stringify(output))}</code>
            <Copy text={JSON.stringify(output)} label="Copy the result" />
          </div>
        )}
        {retriesId && (
          <p>
            It repeats <Link href={pathTo('run', { env, runId: retriesId })}>an earlier run</Link>.
          </p>
        )}
        {refusal && <Refused refusal={refusal} />}
      </div>
      <RunDialog
        environment={environment}
        configured={commandSnapshot}
        isJob={jobConfig !== null}
        isOpen={isChanging}
        onClose={() => setChanging(false)}
        onCreated={(runId) => navigate(pathTo('run', { env, runId }))}
      />
    </Section>
  )
}

const SECOND_MS = 1_000

/** The time, each second: what runs is timed while one looks at it. */
function useSeconds(isOn: boolean): number {
  const [present, setPresent] = useState(Date.now())
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => setPresent(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [isOn])
  return present
}

type Line = ResultOf<typeof RunLines>['appEnvLogs']['lines'][number]

const MAX_LINES = 5_000

/** The newest lines, and each as it is written; the log has the others. */
function Output({ env, run }: { env: string; run: JobRun }) {
  const { id: jobRunId, logsTruncated } = run
  const [lines, setLines] = useState<Line[] | null>(null)
  useEffect(() => {
    let after: string | undefined
    const variables = {
      env,
      jobRunId,
      get after() {
        return after
      },
    }
    return socket.subscribe<ResultOf<typeof RunLines>>(
      { query: stringifyDocument(RunLines), variables },
      {
        next: ({ data }) => {
          if (!data) return
          after = data.appEnvLogs.cursor
          setLines((before) => [...(before ?? []), ...data.appEnvLogs.lines].slice(-MAX_LINES))
        },
        error: () => setLines((before) => before ?? []),
        complete: () => {},
      },
    )
  }, [env, jobRunId])
  return (
    <Section title="Output" actions={<Link href={`${pathTo('logs', { env })}?run=${jobRunId}`}>In the log</Link>}>
      {lines === null && <Skeleton lines={3} />}
      {lines?.length === 0 && (
        <p className="soft">
          {isOpenRun(run) ? 'It has written nothing yet.' : 'It has written nothing that is kept.'}
        </p>
      )}
      {logsTruncated && <p className="warn">It wrote more than is kept: lines are missing.</p>}
      {lines && lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        <pre className={styles.output} role="log" aria-live="off" tabIndex={0} aria-label="Output of the run">
          {lines.map(({ id, timestamp, stream, message }) => (
            <span key={id} className={stream === 'STDERR' ? 'bad' : undefined}>
              <time dateTime={timestamp}>{formatTime(timestamp, 'clock')}</time> {visibleText(message)}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </Section>
  )
}

function Attempts({ run: { attempts } }: { run: JobRun }) {
  return (
    <Section title="Attempts" isFlush>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">Began</th>
            <th scope="col">Duration</th>
            <th scope="col">Exit code</th>
            <th scope="col">Why it failed</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ number, startedAt, finishedAt, exitCode, reason, message }) => (
            <tr key={number}>
              <th scope="row" data-name="attempt">
                {number}
              </th>
              <td>
                {startedAt ? (
                  formatTime(startedAt, 'clock')
                ) : (
                  <span className="soft">{finishedAt ? 'never' : 'now'}</span>
                )}
              </td>
              <td>{startedAt && finishedAt ? durationText(Date.parse(finishedAt) - Date.parse(startedAt)) : ''}</td>
              <td data-name="exit code">{exitCode !== null && <code>{exitCode}</code>}</td>
              <td className={styles.reason}>{message ? visibleText(message) : reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function Executed({ run: { commandSnapshot, deployment, id, scheduledFor } }: { run: JobRun }) {
  const { workingDir, timeoutSeconds, shell, envVars } = commandSnapshot
  return (
    <Section title="What it ran">
      <Facts
        of={[
          ['Command', <code key="command">{visibleText(commandText(commandSnapshot) ?? 'that of the image')}</code>],
          ['By a shell', shell ? 'yes' : 'no'],
          ['Version', deployment?.version ?? null],
          ['Folder', workingDir && <code key="folder">{visibleText(workingDir)}</code>],
          ['Longest time', durationText(timeoutSeconds * 1_000)],
          ['Variables besides', envVars.map(({ name }) => visibleText(name)).join(', ') || null],
          ...(scheduledFor ? [['Scheduled for', formatTime(scheduledFor, 'exact')] as const] : []),
          [
            'Id',
            <span key="id">
              <code>{id}</code> <Copy text={id} label="Copy the id" />
            </span>,
          ],
        ]}
      />
    </Section>
  )
}
