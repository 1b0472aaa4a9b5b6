import { useEffect } from 'react'
import { useLocation, useParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Changes } from '../../ui/changes.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { Rollback, RollbackPreview } from './documents.ts'
import { VersionSource } from './version-text.tsx'

/** A rollback before it happens: whether it works, and what it changes. */
export default function RollbackScreen() {
  return <EnvironmentPage title="Deployments">{(environment) => <Preview environment={environment} />}</EnvironmentPage>
}

function Preview({ environment }: { environment: Head }) {
  const { id: appEnvId, cliEnvName: env, currentDeployment } = environment
  const { deploymentId = '' } = useParams<{ deploymentId: string }>()
  const [, navigate] = useLocation()
  const missing = useMissing('appEnv:operate')
  const { data, refusals, isLoading, refetch } = useData(RollbackPreview, {
    variables: { id: deploymentId, from: currentDeployment?.id ?? deploymentId },
  })
  const dryRun = useWrite(Rollback)
  const { send, isSending, refusal } = useWrite(Rollback)
  const { send: ask } = dryRun
  // The API is asked whether it works, not this page.
  useEffect(() => {
    if (missing === null) void ask({ appEnvId, targetContentId: deploymentId, dryRun: true })
  }, [ask, appEnvId, deploymentId, missing])
  if (isLoading) return <Skeleton lines={8} />
  const target = data?.deployment
  if (!target) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : null
  const changes = data.difference?.changes ?? []
  const back = pathTo('deployments', { env })
  return (
    <Section title={`Roll back to version ${target.version}`}>
      <div className="stack">
        <p>
          Version {target.version}: <VersionSource deployment={target} />{' '}
          <span className="soft">
            first deployed <Time at={target.deployedAt ?? target.createdAt} />
          </span>
        </p>
        {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
        {changes.length > 0 ? (
          <Changes
            changes={changes}
            from={currentDeployment ? `Version ${currentDeployment.version}, now` : 'Now'}
            to={`Version ${target.version}, then`}
          />
        ) : (
          <Empty title="Nothing differs but the version" />
        )}
        <p className="soft">
          The present version serves until the containers of version {target.version} are ready. Data in volumes and
          databases stays as it is. Secrets have the values of today.
        </p>
        {!target.canRollback && target.cannotRollbackReason && (
          <p className="bad">{visibleText(target.cannotRollbackReason)}</p>
        )}
        {dryRun.refusal && <Refused refusal={dryRun.refusal} />}
        {refusal && <Refused refusal={refusal} />}
        <div className="row">
          <Button
            kind="primary"
            icon="undo"
            isBusy={isSending}
            missing={missing ?? (dryRun.refusal ? dryRun.refusal.message : null)}
            onClick={async () => {
              const answer = await send({ appEnvId, targetContentId: deploymentId })
              if (!answer?.rollbackAppEnv) return
              say(answer.rollbackAppEnv.message)
              navigate(back)
            }}
          >
            Roll back to version {target.version}
          </Button>
          <LinkButton href={back}>Leave it</LinkButton>
        </div>
      </div>
    </Section>
  )
}
