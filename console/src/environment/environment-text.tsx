import { visibleText } from '../../../text/visible-text.ts'
import type { EnvironmentState } from '../graphql/documents.ts'
import type { ResultOf } from '../graphql/graphql.ts'

export type Environment = ResultOf<typeof EnvironmentState>

/** `shop · production`. */
export const nameOf = ({ app, name }: { app: Pick<Environment['app'], 'name'>; name: string }): string =>
  `${visibleText(app.name)} · ${visibleText(name)}`

/** Why it is not as it should be, in a line; null where it is. */
export function troubleOf(environment: Environment): string | null {
  const { latestDeployment, currentDeployment, observedReason, status, health } = environment
  const hasFailed = latestDeployment?.status === 'FAILED' && latestDeployment.version !== currentDeployment?.version
  if (status !== 'UPDATING' && hasFailed) return latestDeployment.message ?? latestDeployment.reason
  if (status === 'STOPPED' || health === 'HEALTHY') return null
  return observedReason
}

/** A tenant’s address, if it is one that a link may lead to. */
export function linkable(url: string | null): string | null {
  if (!url || !URL.canParse(url)) return null
  return /^https?:$/.test(new URL(url).protocol) ? url : null
}

/** Leads to an app’s own address, in a tab of its own that knows nothing of this one. */
export function Address({ url }: { url: string | null }) {
  const href = linkable(url)
  if (!href) return null
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="clip">
      {new URL(href).host}
    </a>
  )
}
