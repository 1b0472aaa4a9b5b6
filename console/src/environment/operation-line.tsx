import { Link } from 'wouter'
import { durationText } from '../../../text/duration.ts'
import { visibleText } from '../../../text/visible-text.ts'
import { useData } from '../graphql/use-data.ts'
import { pathTo } from '../routes.ts'
import { Section } from '../ui/page.tsx'
import { outcomeOf, Status, wordsOf } from '../ui/status.tsx'
import { useNow } from '../ui/time.tsx'
import { OneOperation } from './documents.ts'
import type { Head } from './environment-page.tsx'
import { Address } from './environment-text.tsx'

/** What a call of this screen has begun, as it goes on: where more is to be said, it leads there. */
export function OperationLine({ id, environment }: { id: string; environment: Head }) {
  const { data } = useData(OneOperation, {
    variables: { id },
    readAgainOn: (event) => event.operationId === id,
  })
  const present = useNow()
  const operation = data?.operation
  if (!operation) return null
  const { kind, status, steps, startedAt, finishedAt, message, deployment } = operation
  const isOpen = status === 'QUEUED' || status === 'RUNNING'
  const step = steps.at(-1)
  const end = finishedAt ? Date.parse(finishedAt) : Math.max(present, Date.now())
  const env = environment.cliEnvName
  return (
    <Section>
      <div className="stack tight" role="status">
        <p className="row">
          <b>{wordsOf(kind)}</b>
          <Status {...outcomeOf(status)} />
          {isOpen && step && <span>{visibleText(step.name)}</span>}
          {startedAt && (
            <span className="soft">
              {isOpen ? 'for' : 'in'} {durationText(end - Date.parse(startedAt))}
            </span>
          )}
          {status === 'SUCCEEDED' && <Address url={environment.url} />}
          <Link
            href={
              deployment ? pathTo('deployment', { env, deploymentId: deployment.id }) : pathTo('deployments', { env })
            }
          >
            {deployment ? `Version ${deployment.version}` : 'Deployments'}
          </Link>
        </p>
        {status === 'FAILED' && message && <pre className="mono">{visibleText(message)}</pre>}
      </div>
    </Section>
  )
}
