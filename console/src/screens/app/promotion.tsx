import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { useLocation } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { type Refusal, refusalsOf } from '../../graphql/refusal.ts'
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
  const client = useClient()
  const [, navigate] = useLocation()
  const missing = useMissing('appEnv:operate')
  const { send, isSending, refusal, reset } = useWrite(PromoteDeployment)
  const [trial, setTrial] = useState<{ of: string; refusal: Refusal | null } | null>(null)
  const contentId = from?.currentDeployment?.id
  const targetId = target?.id
  const asked = `${contentId} ${targetId}`
  useEffect(() => {
    if (!contentId || !targetId || missing !== null) return
    let isOver = false
    void client
      .mutation(TryPromotion, { input: { appEnvId: targetId, fromAppEnvId: fromId, contentId, dryRun: true } })
      .toPromise()
      .then(({ error }) => {
        if (!isOver) setTrial({ of: `${contentId} ${targetId}`, refusal: refusalsOf(error)[0] ?? null })
      })
    return () => {
      isOver = true
    }
  }, [client, contentId, targetId, fromId, missing])
  if (!from?.currentDeployment || !target) return null
  const answer = trial?.of === asked ? trial : null
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
        {answer?.refusal && <Refused refusal={answer.refusal} />}
        {refusal && <Refused refusal={refusal} />}
        <div className="row">
          <Button
            kind="primary"
            icon="arrowRight"
            isBusy={isSending}
            missing={missing ?? answer?.refusal?.message ?? (answer ? null : 'Asking whether it works …')}
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
