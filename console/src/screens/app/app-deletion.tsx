import { useState } from 'react'
import { useLocation } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import type { App } from './app.ts'
import { DeleteApp } from './documents.ts'

/** The end of an app: the API says beforehand whether it is possible, and the name is asked for. */
export function AppDeletion({ app }: { app: App }) {
  const { id: appId, name, account, appEnvs } = app
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const missing = useMissing('app:delete')
  const dryRun = useWrite(DeleteApp)
  const { send, isSending, refusal, reset } = useWrite(DeleteApp)
  return (
    <Section title="Delete it">
      <div className="stack">
        <p>
          {appEnvs.totalCount === 0
            ? 'The app has no environment any more.'
            : `Its ${appEnvs.totalCount === 1 ? 'environment goes' : `${appEnvs.totalCount} environments go`} with it.`}
        </p>
        <div className="row">
          <Button
            kind="danger"
            icon="trash"
            missing={missing}
            onClick={() => {
              setOpen(true)
              void dryRun.send({ appId, dryRun: true })
            }}
          >
            Delete the app…
          </Button>
        </div>
      </div>
      <Confirm
        title={`Delete ${visibleText(name)}`}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false)
          reset()
        }}
        name={name}
        action="Delete it"
        isSending={isSending}
        refusal={refusal ?? dryRun.refusal}
        onConfirm={async () => {
          const answer = await send({ appId })
          if (!answer?.deleteApp) return
          setOpen(false)
          say(answer.deleteApp.message)
          navigate(pathTo('overview', { account: account.slug }))
        }}
      >
        <p>This cannot be undone.</p>
        {appEnvs.nodes.length > 0 && (
          <ul>
            {appEnvs.nodes.map((environment) => (
              <li key={environment.id}>
                <b>{visibleText(environment.name)}</b>{' '}
                <span className="soft">{visibleText(environment.cliEnvName)}</span>
              </li>
            ))}
          </ul>
        )}
      </Confirm>
    </Section>
  )
}
