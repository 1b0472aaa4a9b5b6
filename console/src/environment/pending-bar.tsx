import { useState } from 'react'
import { useMissing } from '../account/session.tsx'
import { useData } from '../graphql/use-data.ts'
import { useWrite } from '../graphql/use-write.ts'
import { pathTo } from '../routes.ts'
import { Button } from '../ui/button.tsx'
import { Changes } from '../ui/changes.tsx'
import { Icon } from '../ui/icons.tsx'
import { Refused } from '../ui/refused.tsx'
import { say } from '../ui/toast.tsx'
import { ApplyChanges, PendingChanges } from './documents.ts'
import styles from './environment.module.css'
import type { Environment } from './environment-text.tsx'

/** Changes that were saved and do not run yet: what they are, and how to make them run. */
export function PendingBar({ environment }: { environment: Environment }) {
  const { hasBuildChanges, hasDeployChanges, hasScaleChanges } = environment.pendingChanges
  if (!(hasBuildChanges || hasDeployChanges || hasScaleChanges) || !environment.currentDeployment) return null
  return <Bar environment={environment} />
}

function Bar({ environment }: { environment: Environment }) {
  const { id: appEnvId, cliEnvName: env, status, pendingChanges } = environment
  const [isOpen, setOpen] = useState(false)
  const missing = useMissing('appEnv:operate')
  const { data } = useData(PendingChanges, {
    variables: { env },
    readAgainOn: (event) => event.appEnvId === appEnvId && event.type === 'APP_ENV_UPDATED',
  })
  const { send, isSending, refusal } = useWrite(ApplyChanges)
  const changes = data?.appEnv?.pendingChanges.changes ?? []
  const how = pendingChanges.hasBuildChanges
    ? 'Applying them builds and deploys.'
    : pendingChanges.hasDeployChanges
      ? 'Applying them deploys, without an interruption.'
      : 'Applying them changes the number of containers.'
  return (
    <section className={styles.pending} aria-label="Pending changes">
      <div className="spread">
        <p className="row">
          <Icon name="circleAlert" className="info" />
          <b>
            {changes.length || 'Some'} {changes.length === 1 ? 'change does' : 'changes do'} not run yet.
          </b>
          <span className="soft">{how}</span>
        </p>
        <div className="row">
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide them' : 'Show them'}
          </Button>
          <Button
            kind="primary"
            isBusy={isSending}
            missing={missing ?? (status === 'UPDATING' ? 'An operation is open: they are applied after it' : null)}
            onClick={async () => {
              const answer = await send({ appEnvId })
              if (answer?.applyChanges) say(answer.applyChanges.message, pathTo('deployments', { env }))
            }}
          >
            Apply them
          </Button>
        </div>
      </div>
      {refusal && <Refused refusal={refusal} />}
      {isOpen && <Changes changes={changes} />}
    </section>
  )
}
