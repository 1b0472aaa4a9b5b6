import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { Address } from '../../environment/environment-text.tsx'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Status, statusOf } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import styles from './app.module.css'
import type { App, AppEnvironment } from './app.ts'

interface EnvironmentTableProps {
  app: App
  /** Null where versions cannot be promoted. */
  onPromote: ((fromId: string) => void) | null
}

/** The environments as columns, so that what differs stands beside each other. */
export function EnvironmentTable({ app, onPromote }: EnvironmentTableProps) {
  const missing = useMissing('appEnv:operate')
  const environments = app.appEnvs.nodes
  const rows: [string, (environment: AppEnvironment) => React.ReactNode][] = [
    ['Status', (environment) => <Status {...statusOf(environment)} />],
    ['Version', (environment) => <VersionOf environment={environment} />],
    ['Runs', (environment) => <SourceOf environment={environment} />],
    ['Deployed', ({ currentDeployment }) => <Time at={currentDeployment?.deployedAt} />],
    ['Address', ({ url }) => <Address url={url} />],
    [
      'Containers',
      ({ replicas, resources: { zClouds } }) => `${replicas.desired} of ${zClouds} zCloud${zClouds === 1 ? '' : 's'}`,
    ],
    ...(app.useImage
      ? []
      : ([['Branch', ({ gitBranch }: AppEnvironment) => gitBranch && visibleText(gitBranch)]] as [
          string,
          (environment: AppEnvironment) => React.ReactNode,
        ][])),
    ['Pending changes', (environment) => <Pending environment={environment} />],
    ['Region', ({ region }) => visibleText(region.name)],
  ]
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <td />
          {environments.map(({ id, cliEnvName: env, name, pullRequest }) => (
            <th key={id} scope="col">
              <Link href={pathTo('deployments', { env })}>{visibleText(name)}</Link>
              {pullRequest && <span className="soft"> pull request {pullRequest.number}</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, cell]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {environments.map((environment) => (
              <td key={environment.id}>{cell(environment) || <span className="soft">none</span>}</td>
            ))}
          </tr>
        ))}
        {onPromote && environments.length > 1 && (
          <tr>
            <th scope="row">
              <span className="visually-hidden">Actions</span>
            </th>
            {environments.map(({ id, name, currentDeployment }) => (
              <td key={id}>
                <Button
                  icon="arrowRight"
                  missing={missing ?? (currentDeployment ? null : 'Nothing was deployed there yet')}
                  aria-label={`Promote the version of ${name}`}
                  onClick={() => onPromote(id)}
                >
                  Promote…
                </Button>
              </td>
            ))}
          </tr>
        )}
      </tbody>
    </table>
  )
}

function VersionOf({ environment: { cliEnvName: env, currentDeployment } }: { environment: AppEnvironment }) {
  if (!currentDeployment) return null
  const { id, version, promotedFrom } = currentDeployment
  return (
    <>
      <Link href={pathTo('deployment', { env, deploymentId: id })}>{version}</Link>
      {promotedFrom && (
        <span className="soft">
          {' '}
          from {visibleText(promotedFrom.appEnv?.name ?? 'another environment')} {promotedFrom.version}
        </span>
      )}
    </>
  )
}

const SHORT = 12

function SourceOf({ environment: { currentDeployment } }: { environment: AppEnvironment }) {
  if (!currentDeployment) return null
  const { gitCommitId, gitCommit, image, imageDigest } = currentDeployment
  if (gitCommitId)
    return (
      <>
        <code>{gitCommitId.slice(0, SHORT)}</code>{' '}
        {gitCommit?.message && visibleText(gitCommit.message.split('\n')[0] ?? '')}
      </>
    )
  return <code title={imageDigest ? visibleText(imageDigest) : undefined}>{visibleText(image)}</code>
}

function Pending({ environment: { cliEnvName: env, pendingChanges } }: { environment: AppEnvironment }) {
  const { hasBuildChanges, hasDeployChanges, hasScaleChanges } = pendingChanges
  if (!hasBuildChanges && !hasDeployChanges && !hasScaleChanges) return null
  return (
    <Link href={pathTo('deployments', { env })}>
      {hasBuildChanges ? 'need a build' : hasDeployChanges ? 'need a deployment' : 'change the number of containers'}
    </Link>
  )
}
