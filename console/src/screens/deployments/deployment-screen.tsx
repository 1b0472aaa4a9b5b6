import { useEffect, useState } from 'react'
import { stringifyDocument } from 'urql'
import { Link, useParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { socket } from '../../graphql/connection.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty, Facts, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { outcomeOf, Status } from '../../ui/status.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import styles from './deployments.module.css'
import { BuildOutput, DeploymentDetail, LastLines } from './documents.ts'
import { OperationProgress } from './operation-progress.tsx'
import { VersionSource } from './version-text.tsx'

/** One version: why it failed or how it came to serve, its last lines, its build, what it runs with. */
export default function DeploymentScreen() {
  return <EnvironmentPage title="Deployments">{(environment) => <Detail environment={environment} />}</EnvironmentPage>
}

function Detail({ environment }: { environment: Head }) {
  const { cliEnvName: env, currentDeployment, id: appEnvId } = environment
  const { deploymentId = '' } = useParams<{ deploymentId: string }>()
  const missing = useMissing('appEnv:operate')
  const { data, refusals, isLoading, refetch } = useData(DeploymentDetail, {
    variables: { id: deploymentId },
    readAgainOn: (event) => event.appEnvId === appEnvId && event.type.startsWith('OPERATION_'),
  })
  if (isLoading) return <Skeleton lines={8} />
  const deployment = data?.deployment
  if (!deployment) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : null
  const { version, status, message, canRollback, cannotRollbackReason, configuration, requester, createdAt } =
    deployment
  const isCurrent = deployment.id === currentDeployment?.id
  const operation = deployment.appEnv.operations.nodes.find((each) => each.deployment?.id === deployment.id)
  const isBuilt = deployment.type === 'BUILD' || status === 'BUILDING'
  return (
    <>
      <Section
        title={`Version ${version}`}
        actions={
          !isCurrent &&
          canRollback && (
            <LinkButton icon="undo" href={pathTo('rollback', { env, deploymentId })} missing={missing}>
              Roll back to it…
            </LinkButton>
          )
        }
      >
        <div className="stack">
          <p className="row">
            {isCurrent ? (
              <Status icon="circleCheck" word="Serves now" tone="good" />
            ) : (
              <Status {...outcomeOf(status)} />
            )}
            <span>
              <VersionSource deployment={deployment} />
            </span>
            <span className="soft">
              <Time at={createdAt} /> {requester && `by ${visibleText(requester.username)}`}
            </span>
          </p>
          {status === 'FAILED' && (
            <div className="stack tight">
              {message && <pre className={`${styles.message} ${styles.failed}`}>{visibleText(message)}</pre>}
              <p>
                {currentDeployment
                  ? `Version ${currentDeployment.version} serves: nothing was taken away from it.`
                  : 'Nothing serves: this was the first version.'}
              </p>
            </div>
          )}
          {!isCurrent && !canRollback && cannotRollbackReason && status !== 'FAILED' && (
            <p className="soft">It cannot be rolled back to: {visibleText(cannotRollbackReason)}</p>
          )}
          {operation && (
            <OperationProgress
              operation={operation.status === 'FAILED' ? { ...operation, message: null } : operation}
            />
          )}
        </div>
      </Section>
      <Output env={env} contentId={deployment.id} />
      {isBuilt && <Build appEnvId={appEnvId} contentId={deployment.id} />}
      {configuration && (
        <Section title="What it runs with">
          <Facts
            of={[
              [
                'Image',
                <code key="image">
                  {visibleText(deployment.imageDigest ?? configuration.image ?? deployment.image)}
                </code>,
              ],
              ['Port', configuration.port],
              ['CPU and memory of each container', `${configuration.cpu} zCPU, ${configuration.memory} MB`],
              [
                'Command',
                configuration.startupConfig && <code key="command">{JSON.stringify(configuration.startupConfig)}</code>,
              ],
              [
                'Release command',
                configuration.releaseCommand && (
                  <code key="release">{JSON.stringify(configuration.releaseCommand)}</code>
                ),
              ],
              ['Variables', configuration.variables.map(({ name }) => visibleText(name)).join(', ') || null],
            ]}
          />
        </Section>
      )}
    </>
  )
}

/** The last lines of its containers, which outlive them. */
function Output({ env, contentId }: { env: string; contentId: string }) {
  const { data, refusals, refetch } = useData(LastLines, { variables: { env, contentId } })
  const lines = [...(data?.logs?.nodes ?? [])].reverse()
  return (
    <Section
      title="Last lines of its containers"
      actions={<Link href={`${pathTo('logs', { env })}?version=${contentId}`}>All of them</Link>}
    >
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {data && lines.length === 0 && <Empty title="Its containers have written nothing" />}
      {lines.length > 0 && (
        <pre className={styles.output}>
          {lines.map(({ id, timestamp, stream, message }) => (
            <span key={id} className={stream === 'STDERR' ? styles.stderr : undefined}>
              <time dateTime={timestamp}>{formatTime(timestamp, 'clock')}</time> {visibleText(message)}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </Section>
  )
}

type BuildLine = ResultOf<typeof BuildOutput>['buildLogs']['lines'][number]

const MAX_BUILD_LINES = 5_000

/** What its build writes, as it writes it. */
function Build({ appEnvId, contentId }: { appEnvId: string; contentId: string }) {
  const [lines, setLines] = useState<BuildLine[]>([])
  const [hasEnded, setEnded] = useState(false)
  useEffect(() => {
    let after: string | undefined
    const variables = {
      appEnvId,
      contentId,
      get after() {
        return after
      },
    }
    const query = stringifyDocument(BuildOutput)
    return socket.subscribe<ResultOf<typeof BuildOutput>>(
      { query, variables },
      {
        next: ({ data }) => {
          if (!data) return
          after = data.buildLogs.cursor
          if (data.buildLogs.hasEnded) setEnded(true)
          setLines((before) => [...before, ...data.buildLogs.lines].slice(-MAX_BUILD_LINES))
        },
        error: () => {},
        complete: () => {},
      },
    )
  }, [appEnvId, contentId])
  return (
    <Section title={hasEnded ? 'Its build' : 'Its build, as it goes on'}>
      {lines.length === 0 ? (
        <p className="soft">{hasEnded ? 'It has written nothing that is kept.' : 'Nothing yet.'}</p>
      ) : (
        <pre className={styles.output}>
          {lines.map(({ id, message }) => (
            <span key={id}>
              {visibleText(message)}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </Section>
  )
}
