import { useState } from 'react'
import { useLocation } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { useDryRun } from '../../graphql/use-dry-run.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { say } from '../../ui/toast.tsx'
import type { App } from './app.ts'
import { PromoteDeployment, TryPromotion } from './documents.ts'

interface PromotionProps {
  app: App
  fromId: string
  onClose: () => void
}

/** The image of one environment for another one, which keeps its variables and settings. Asked of the API first. */
export function Promotion({ app, fromId, onClose }: PromotionProps) {
  const environments = app.appEnvs.nodes
  const from = environments.find(({ id }) => id === fromId)
  const targets = environments.filter(({ id }) => id !== fromId)
  const [chosen, setChosen] = useState<string | null>(null)
  const target = targets.find(({ id }) => id === chosen) ?? targets[0]
  const [, navigate] = useLocation()
  const missing = useMissing('appEnv:operate')
  const { send, isSending, refusal, reset } = useWrite(PromoteDeployment)
  const contentId = from?.currentDeployment?.id
  const dryRun = useDryRun(
    TryPromotion,
    contentId && target && missing === null ? { appEnvId: target.id, fromAppEnvId: fromId, contentId } : null,
  )
  if (!from?.currentDeployment || !target) return null
  const { version } = from.currentDeployment
  return (
    <Section title={`Promote version ${version} of ${visibleText(from.name)}`}>
      <div className="stack">
        <label className="row">
          To
          <select
            className="control"
            value={target.id}
            onChange={(event) => {
              reset()
              setChosen(event.target.value)
            }}
          >
            {targets.map(({ id, name }) => (
              <option key={id} value={id}>
                {visibleText(name)}
              </option>
            ))}
          </select>
        </label>
        <p>
          {visibleText(target.name)}{' '}
          {target.currentDeployment
            ? `runs version ${target.currentDeployment.version}, ${visibleText(target.currentDeployment.image)}. It serves until the containers of the new one are ready.`
            : 'runs nothing yet.'}{' '}
          It gets the same image, without a build, and keeps its own variables and settings.
        </p>
        {dryRun.refusal && <Refused refusal={dryRun.refusal} />}
        {refusal && <Refused refusal={refusal} />}
        <div className="row">
          <Button
            kind="primary"
            icon="arrowRight"
            isBusy={isSending}
            missing={missing ?? dryRun.refusal?.message ?? (dryRun.isCurrent ? null : 'Asking whether it works …')}
            onClick={async () => {
              const sent = await send({ appEnvId: target.id, fromAppEnvId: from.id, contentId })
              if (!sent?.promoteDeployment) return
              say(sent.promoteDeployment.message)
              navigate(pathTo('deployments', { env: target.cliEnvName }))
            }}
          >
            Promote to {visibleText(target.name)}
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Section>
  )
}
