import { useState } from 'react'
import { useLocation } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import type { Head } from '../../environment/environment-page.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { say } from '../../ui/toast.tsx'
import { DeleteEnvironment, ReferencedBy } from './documents.ts'
import type { SettingsOf } from './setting.tsx'

/** The end of an environment: who refers to it is said first, and its name is asked for. */
export function Deletion({ environment, settings }: { environment: Head; settings: SettingsOf }) {
  const { id: appEnvId, cliEnvName: env, account } = environment
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const missing = useMissing('appEnv:delete')
  const dryRun = useWrite(DeleteEnvironment)
  const { send, isSending, refusal, reset } = useWrite(DeleteEnvironment)
  const { data, refusals } = useData(ReferencedBy, { variables: { env }, isPaused: !isOpen })
  const referrers = data?.referencedBy
  return (
    <Section title="Delete it">
      <div className="stack">
        <p>
          Its containers, versions, variables and hosts are deleted.{' '}
          {settings.volume && 'Its volume stays, with the data, until it is deleted by itself. '}
          {settings.preventDestroy && <b>It is protected: turn that off first.</b>}
        </p>
        <div className="row">
          <Button
            kind="danger"
            icon="trash"
            missing={missing ?? (settings.preventDestroy ? 'It is protected' : null)}
            onClick={() => {
              setOpen(true)
              void dryRun.send({ appEnvId, dryRun: true })
            }}
          >
            Delete the environment…
          </Button>
        </div>
      </div>
      <Confirm
        title={`Delete ${nameOf(environment)}`}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false)
          reset()
        }}
        name={env}
        action="Delete it"
        isSending={isSending}
        refusal={refusal ?? dryRun.refusal}
        onConfirm={async () => {
          const answer = await send({ appEnvId })
          if (!answer?.deleteAppEnv) return
          setOpen(false)
          say(answer.deleteAppEnv.message)
          navigate(pathTo('overview', { account: account.slug }))
        }}
      >
        <p>This cannot be undone.</p>
        {refusals[0] && <Refused refusal={refusals[0]} />}
        {referrers && referrers.appEnvs.length + referrers.otherCount > 0 && (
          <div className="stack tight">
            <p className="bad">Others refer to it, and cannot be deployed again until that is changed:</p>
            <ul>
              {referrers.appEnvs.map(({ envName, variables }) => (
                <li key={envName}>
                  <b>{visibleText(envName)}</b>: {variables.map(({ name }) => visibleText(name)).join(', ')}
                </li>
              ))}
              {referrers.otherCount > 0 && <li>{referrers.otherCount} that you may not see</li>}
            </ul>
          </div>
        )}
        {referrers && referrers.appEnvs.length + referrers.otherCount === 0 && (
          <p className="soft">No other environment refers to it.</p>
        )}
      </Confirm>
    </Section>
  )
}
