import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { useData } from '../../graphql/use-data.ts'
import { Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { CredentialsSection } from './credentials-section.tsx'
import { Connection } from './documents.ts'
import { ExternalAccessSection } from './external-access-section.tsx'
import { ReferenceSection } from './reference-section.tsx'
import { RotationSection } from './rotation-section.tsx'

/** How programs, people and other environments reach a managed service, and who does. */
export default function ConnectScreen() {
  return <EnvironmentPage title="Connect">{(environment) => <Connect environment={environment} />}</EnvironmentPage>
}

function Connect({ environment }: { environment: Head }) {
  const { id, cliEnvName: env } = environment
  const { data, refusals, isLoading, refetch } = useData(Connection, {
    variables: { env },
    readAgainOn: ({ type, appEnvId }) =>
      type === 'APP_ENV_UPDATED' || (appEnvId === id && type.startsWith('OPERATION_')),
  })
  if (isLoading) return <Skeleton lines={10} />
  const appEnv = data?.appEnv
  if (!appEnv) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : null
  const engine = data.databasePresets?.find(({ dockerPreset }) => dockerPreset === appEnv.app.dockerPreset)
  const scheme = engine?.connectionProtocol ?? ''
  return (
    <>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      <ReferenceSection
        env={env}
        scheme={scheme}
        port={engine?.ports[0]?.port ?? null}
        hasReplicas={appEnv.replicas.desired > 1}
        isReachable={appEnv.externalAccess?.enabled ?? false}
      />
      <CredentialsSection env={env} account={environment.account.slug} />
      <ExternalAccessSection
        appEnvId={id}
        version={appEnv.version}
        access={appEnv.externalAccess}
        onChanged={refetch}
      />
      <RotationSection environment={environment} referencedBy={appEnv.referencedBy} />
    </>
  )
}
