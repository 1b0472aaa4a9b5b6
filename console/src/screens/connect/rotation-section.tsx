import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import type { Head } from '../../environment/environment-page.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useDryRun } from '../../graphql/use-dry-run.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import styles from './connect.module.css'
import { type Connection, RotateCredentials } from './documents.ts'

type References = NonNullable<ResultOf<typeof Connection>['appEnv']>['referencedBy']

interface RotationProps {
  environment: Head
  referencedBy: References
}

/** Who uses the credentials, and new ones. */
export function RotationSection({ environment, referencedBy }: RotationProps) {
  const { id: appEnvId, cliEnvName: env } = environment
  const [isOpen, setOpen] = useState(false)
  const missing = useMissing('credentials:rotate')
  const dryRun = useDryRun(RotateCredentials, isOpen ? { appEnvId } : null)
  const rotate = useWrite(RotateCredentials)
  return (
    <Section
      title="Who uses it"
      actions={
        <Button kind="danger" icon="refreshCw" missing={missing} onClick={() => setOpen(true)}>
          New password…
        </Button>
      }
    >
      <Users referencedBy={referencedBy} />
      <Confirm
        title={`New password for ${nameOf(environment)}`}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false)
          rotate.reset()
        }}
        action="Rotate the credentials"
        isReady={dryRun.answer !== null}
        isSending={rotate.isSending}
        refusal={rotate.refusal ?? dryRun.refusal}
        onConfirm={async () => {
          const answer = await rotate.send({ appEnvId })
          if (!answer?.rotateCredentials) return
          setOpen(false)
          say(answer.rotateCredentials.message, pathTo('deployments', { env }))
        }}
      >
        <p>
          The running server gets new passwords, and its container is made again. It cannot be cancelled, and the old
          passwords work no more.
        </p>
        <Reached referencedBy={referencedBy} />
        <p>Clients that hold a copy of the password, also outside of Berth, have to be given the new one by hand.</p>
      </Confirm>
    </Section>
  )
}

/** Before a rotation: which environments need a deployment after it. */
function Reached({ referencedBy }: { referencedBy: References }) {
  const reached = (referencedBy?.appEnvs ?? []).filter(({ variables }) =>
    variables.some(({ holdsCredentials }) => holdsCredentials),
  )
  if (!referencedBy) return <p>Which environments it reaches is not known to you.</p>
  if (reached.length === 0 && referencedBy.otherCount === 0) return <p>No environment refers to the password.</p>
  return (
    <>
      <p>
        These refer to it. Their running containers keep the old password until their pending changes are applied; apply
        them right after it:
      </p>
      <UserList of={reached} otherCount={referencedBy.otherCount} />
    </>
  )
}

function Users({ referencedBy }: { referencedBy: References }) {
  if (!referencedBy) return <p className="soft">Which environments refer to it is not known to you.</p>
  if (referencedBy.appEnvs.length === 0 && referencedBy.otherCount === 0)
    return (
      <p className="soft">
        No environment of the account refers to it. Clients that hold a copy of the password are not known to Berth.
      </p>
    )
  return <UserList of={referencedBy.appEnvs} otherCount={referencedBy.otherCount} />
}

function UserList({ of, otherCount }: { of: NonNullable<References>['appEnvs']; otherCount: number }) {
  return (
    <ul className={styles.users}>
      {of.map(({ appEnvId, envName, variables }) => (
        <li key={appEnvId}>
          <Link href={pathTo('variables', { env: envName })}>{envName}</Link>
          <code>{variables.map(({ name }) => visibleText(name)).join(', ')}</code>
        </li>
      ))}
      {otherCount > 0 && <li className="soft">{otherCount} more that you may not see</li>}
    </ul>
  )
}
