import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Credential, USES, type Usage } from './credential-words.ts'
import { CredentialUsages, DeleteCredential } from './documents.ts'

interface UsageProps {
  credential: Credential
  onClose: () => void
}

export function UsageDialog({ credential, onClose }: UsageProps) {
  const { data, refusals, isLoading, refetch } = useData(CredentialUsages, {
    variables: { credentialId: credential.id },
  })
  return (
    <Dialog title={`What uses “${visibleText(credential.name)}”`} isOpen onClose={onClose}>
      {isLoading && <Skeleton lines={3} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {data?.credentialUsages && <Usages usages={data.credentialUsages} />}
    </Dialog>
  )
}

function Usages({ usages }: { usages: readonly Usage[] }) {
  if (usages.length === 0) return <p>Nothing uses it.</p>
  return (
    <ul className="stack tight">
      {usages.map((usage) => (
        <li key={`${usage.kind} ${usage.appId} ${usage.appEnvId} ${usage.name}`}>
          <User usage={usage} /> {USES[usage.kind]}
          {usage.kind === 'BACKUP' && ` (${usage.count})`}
        </li>
      ))}
    </ul>
  )
}

function User({ usage: { name, app, appEnv } }: { usage: Usage }) {
  if (appEnv) return <Link href={pathTo('deployments', { env: appEnv.cliEnvName })}>{visibleText(name)}</Link>
  if (app) return <Link href={pathTo('app', { appId: app.id })}>{visibleText(name)}</Link>
  return <b>{visibleText(name)}</b>
}

/** Says what breaks, and deletes it all the same where the person says so. */
export function DeleteCredentialDialog({ credential, onClose, onDone }: UsageProps & { onDone: () => void }) {
  const { data, refusals } = useData(CredentialUsages, { variables: { credentialId: credential.id } })
  const usages = data?.credentialUsages ?? null
  // Until it is known what uses it, there is nothing to confirm.
  if (!usages && !refusals[0])
    return (
      <Dialog title={`Delete “${visibleText(credential.name)}”`} isOpen onClose={onClose}>
        <Skeleton lines={3} />
      </Dialog>
    )
  return (
    <ConfirmWrite
      title={`Delete “${visibleText(credential.name)}”`}
      isOpen
      onClose={onClose}
      mutation={DeleteCredential}
      input={{
        credentialId: credential.id,
        expectedVersion: credential.version,
        ...(usages && usages.length > 0 ? { force: true } : {}),
      }}
      messageOf={({ deleteCredential }) => deleteCredential?.message}
      name={credential.name}
      action="Delete it"
      onDone={onDone}
    >
      {refusals[0] && <Refused refusal={refusals[0]} />}
      {usages && usages.length > 0 && (
        <>
          <p>It is used. Apps lose it, and backup schedules that use it are turned off:</p>
          <Usages usages={usages} />
        </>
      )}
      {usages?.length === 0 && <p>Nothing uses it.</p>}
    </ConfirmWrite>
  )
}
