import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { shortContainerName } from '../../../../text/container-name.ts'
import { exitCodeText } from '../../../../text/exit-code.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { readUncached } from '../../graphql/read-uncached.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Shown, Status, wordsOf } from '../../ui/status.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import { Containers, ContainerUse } from './documents.ts'
import styles from './metrics.module.css'
import { numberText, type Pod } from './plots.ts'

interface ContainerListProps {
  env: string
  appEnvId: string
  /** Changes with each measurement. */
  measuredAt: string | null
  isJob: boolean
}

interface Use {
  cpu: number | null
  memory: number | null
}

const RECENT_MS = 5 * 60_000

/** The containers: how each is, what it uses of what it may, and how it ended last. */
export function ContainerList({ env, appEnvId, measuredAt, isJob }: ContainerListProps) {
  const { data, refusals, isLoading, refetch } = useData(Containers, {
    variables: { env },
    readAgainOn: (event) => event.appEnvId === appEnvId,
  })
  const uses = useUses(env, measuredAt)
  // biome-ignore lint/correctness/useExhaustiveDependencies: containers are observed as often as they are measured
  useEffect(() => {
    if (measuredAt !== null) refetch()
  }, [measuredAt])
  const pods = data?.pods ?? []
  return (
    <Section
      title="Containers"
      isFlush
      actions={
        <LinkButton icon="settings" href={pathTo('settings', { env })}>
          Size and number
        </LinkButton>
      }
    >
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {isLoading && <Skeleton lines={3} />}
      {data?.pods && pods.length === 0 && (
        <Empty title="There is no container">
          <p>
            {isJob
              ? 'A container is there while a run goes on.'
              : 'Its containers were stopped, are asleep, or were never deployed.'}
          </p>
        </Empty>
      )}
      {pods.length > 0 && (
        <table className={styles.containers}>
          <thead>
            <tr>
              <th scope="col">Container</th>
              <th scope="col">Status</th>
              <th scope="col">CPU</th>
              <th scope="col">Memory</th>
              <th scope="col">Restarts</th>
              <th scope="col">Ended last</th>
              <th scope="col">Machine</th>
            </tr>
          </thead>
          <tbody>
            {pods.map((pod) => (
              <Container key={pod.podId} env={env} pod={pod} use={uses.get(pod.name)} />
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}

function Container({ env, pod, use }: { env: string; pod: Pod; use: Use | undefined }) {
  const {
    name,
    deployment,
    isReplica,
    replicationLagSeconds,
    resources,
    restartCount,
    startedAt,
    lastTermination,
    nodeName,
  } = pod
  const logs = pathTo('logs', { env })
  return (
    <tr>
      <th scope="row">
        <Link href={`${logs}?container=${encodeURIComponent(name)}`} title={visibleText(name)} className={styles.name}>
          {visibleText(shortContainerName(name))}
        </Link>
        <span className={`${styles.about} soft`}>
          {[
            deployment && `version ${deployment.version}`,
            isReplica &&
              `replica${replicationLagSeconds === null ? '' : `, ${numberText(replicationLagSeconds)} s behind`}`,
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
      </th>
      <td data-label="Status">
        <Status {...statusOfPod(pod)} />
        {startedAt && pod.status === 'RUNNING' && (
          <span className={`${styles.about} soft`}>
            since <Time at={startedAt} />
          </span>
        )}
      </td>
      <td data-label="CPU">
        <Meter used={use?.cpu ?? null} of={resources.cpu * 1000} unit="m" about="CPU" />
      </td>
      <td data-label="Memory">
        <Meter used={use?.memory ?? null} of={resources.memory} unit=" MB" about="Memory" />
      </td>
      <td data-label="Restarts" className={restartCount > 0 ? 'warn' : undefined}>
        {restartCount}
      </td>
      <td data-label="Ended last">
        {lastTermination ? (
          <>
            <Link href={`${logs}?container=${encodeURIComponent(name)}&to=${lastTermination.finishedAt}`}>
              {terminationText(lastTermination)}
            </Link>
            <span className={`${styles.about} soft`}>
              <Time at={lastTermination.finishedAt} />
            </span>
          </>
        ) : (
          <span className="soft">never</span>
        )}
      </td>
      <td data-label="Machine" className="soft">
        {visibleText(nodeName)}
      </td>
    </tr>
  )
}

function statusOfPod({ status, containerReady, finishedAt }: Pod): Shown {
  if (status === 'RUNNING')
    return containerReady
      ? { icon: 'circleCheck', word: 'Ready', tone: 'good' }
      : { icon: 'circleDashed', word: 'Running, not ready', tone: 'warn' }
  if (status === 'RESTARTING') return { icon: 'loader', word: 'Restarting', tone: 'warn' }
  if (status === 'PAUSED') return { icon: 'moon', word: 'Frozen', tone: 'soft' }
  if (status === 'EXITED' || status === 'DEAD')
    return {
      icon: 'circleStop',
      word: finishedAt ? `Ended at ${formatTime(finishedAt, 'clock')}` : 'Ended',
      tone: 'soft',
    }
  return { icon: 'circleDashed', word: wordsOf(status), tone: 'soft' }
}

/** How a container ended, in words. */
function terminationText({ exitCode, outOfMemory, reason }: NonNullable<Pod['lastTermination']>): string {
  if (outOfMemory || reason === 'OUT_OF_MEMORY')
    return `Out of memory${exitCode === null ? '' : ` (exit code ${exitCode})`}`
  if (exitCode === null) return reason === 'COMPLETED' ? 'Without an error' : 'With an error'
  if (exitCode === 0) return 'Without an error (exit code 0)'
  const words = exitCodeText(exitCode)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** So much of so much, as a bar and in numbers. */
function Meter({ used, of, unit, about }: { used: number | null; of: number; unit: string; about: string }) {
  const part = used === null || of === 0 ? 0 : used / of
  return (
    <span className={styles.meter}>
      <span>
        {used === null ? '–' : numberText(used)}{' '}
        <span className="soft">
          of {numberText(of)}
          {unit}
        </span>
      </span>
      <meter aria-label={about} min={0} max={1} high={0.9} value={Math.min(1, part)} />
    </span>
  )
}

/** What each container used last, by its name. */
function useUses(env: string, measuredAt: string | null): ReadonlyMap<string, Use> {
  const [uses, setUses] = useState<ReadonlyMap<string, Use>>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again with each measurement
  useEffect(() => {
    let isWanted = true
    const from = new Date(Date.now() - RECENT_MS).toISOString()
    void readUncached(ContainerUse, { env, from }).then(({ data }) => {
      if (!isWanted || !data?.metricSeriesList) return
      const found = new Map<string, Use>()
      for (const { metric, containerName, points } of data.metricSeriesList) {
        const name = containerName ?? ''
        const use = found.get(name) ?? { cpu: null, memory: null }
        const last = points.at(-1)?.value ?? null
        found.set(name, metric === 'CPU_USAGE' ? { ...use, cpu: last } : { ...use, memory: last })
      }
      setUses(found)
    })
    return () => {
      isWanted = false
    }
  }, [env, measuredAt])
  return uses
}
