import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { outcomeOf, Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { DeployDialog } from './deploy-dialog.tsx'
import styles from './deployments.module.css'
import { Deployments } from './documents.ts'
import { isOpen, OperationProgress } from './operation-progress.tsx'
import { type Deployment, VersionSource } from './version-text.tsx'

/** What was deployed, what is being deployed, and why something was not. */
export default function DeploymentsScreen() {
  const [isDeploying, setDeploying] = useState(false)
  const missing = useMissing('appEnv:operate')
  useKeys([{ keys: 'd', about: 'Deploy', run: () => missing === null && setDeploying(true) }])
  return (
    <EnvironmentPage
      title="Deployments"
      actions={({ dockerPresetVersion }) =>
        dockerPresetVersion === null && (
          <Button kind="primary" icon="rocket" missing={missing} onClick={() => setDeploying(true)}>
            Deploy
          </Button>
        )
      }
    >
      {(environment) => (
        <List environment={environment} isDeploying={isDeploying} onDeploy={setDeploying} missing={missing} />
      )}
    </EnvironmentPage>
  )
}

interface ListProps {
  environment: Head
  isDeploying: boolean
  onDeploy: (isDeploying: boolean) => void
  missing: string | null
}

function List({ environment, isDeploying, onDeploy, missing }: ListProps) {
  const { id, cliEnvName: env, currentDeployment } = environment
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, refetch } = useData(Deployments, {
    variables: { env, after },
    readAgainOn: (event) => event.appEnvId === id && event.type.startsWith('OPERATION_'),
  })
  if (isLoading) return <Skeleton lines={8} />
  const app = data?.appEnv?.app
  const [last] = data?.appEnv?.operations.nodes ?? []
  const list = data?.deployments
  const source =
    app && !app.useImage ? [app.gitRepo ?? 'the upload', data?.appEnv?.gitBranch].filter(Boolean).join(' ') : null
  return (
    <>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {last && (isOpen(last) || last.status === 'FAILED') && (
        <Section title={isOpen(last) ? 'Happens now' : 'What failed last'}>
          <OperationProgress operation={last} />
          {last.status === 'FAILED' && last.deployment && (
            <p>
              <Link href={pathTo('deployment', { env, deploymentId: last.deployment.id })}>
                Its output and its settings
              </Link>
            </p>
          )}
        </Section>
      )}
      <Section title="Versions" isFlush>
        {list && list.nodes.length === 0 && (
          <Empty
            title="Nothing was deployed yet"
            actions={
              <Button kind="primary" icon="rocket" missing={missing} onClick={() => onDeploy(true)}>
                Deploy
              </Button>
            }
          >
            <p>Each deployment becomes a version, which you can read about and roll back to.</p>
          </Empty>
        )}
        <ol className={styles.versions}>
          {list?.nodes.map((deployment) => (
            <Version
              key={deployment.id}
              env={env}
              deployment={deployment}
              isCurrent={deployment.id === currentDeployment?.id}
              missing={missing}
            />
          ))}
        </ol>
        {list?.pageInfo.hasNextPage && (
          <div className={styles.more}>
            <Button onClick={() => setAfter(list.pageInfo.endCursor ?? null)}>
              {list.nodes.length} of {list.totalCount}: load more
            </Button>
          </div>
        )}
      </Section>
      <DeployDialog
        appEnvId={id}
        name={nameOf(environment)}
        image={currentDeployment?.image ?? app?.image ?? null}
        source={source}
        isUploaded={app?.isCliDeployment ?? false}
        isOpen={isDeploying}
        onClose={() => onDeploy(false)}
      />
    </>
  )
}

interface VersionProps {
  env: string
  deployment: Deployment
  isCurrent: boolean
  missing: string | null
}

function Version({ env, deployment, isCurrent, missing }: VersionProps) {
  const { id, version, status, message, createdAt, requester, canRollback, cannotRollbackReason } = deployment
  const [, navigate] = useLocation()
  const href = pathTo('rollback', { env, deploymentId: id })
  return (
    <li className={styles.version}>
      <Link href={pathTo('deployment', { env, deploymentId: id })} className={styles.number}>
        <b>Version {version}</b>
      </Link>
      {isCurrent ? <Status icon="circleCheck" word="Serves now" tone="good" /> : <Status {...outcomeOf(status)} />}
      <span className={styles.source}>
        <VersionSource deployment={deployment} />
        {status === 'FAILED' && message && <span className={styles.cause}>{message.split('\n', 1)[0]}</span>}
      </span>
      <span className="soft">
        <Time at={createdAt} /> {requester?.username}
      </span>
      <span className={styles.action}>
        {!isCurrent && status !== 'FAILED' && status !== 'CANCELLED' && (
          <Button
            icon="undo"
            missing={missing ?? (canRollback ? null : (cannotRollbackReason ?? 'It cannot be brought back'))}
            onClick={() => navigate(href)}
          >
            Roll back…
          </Button>
        )}
      </span>
    </li>
  )
}
