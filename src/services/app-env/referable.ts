import { type Caller, may, permit } from '../../calls/caller.ts'
import { type AppEnvReference, appEnvReferences, holdsCredentials } from '../../domain/references.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { UrlLookup } from '../../storage/references/connection-urls.ts'

/** Of the environments that values refer to, what their environment has already: it gets no more by it. */
export interface Granted {
  /** Values that its variables have. */
  values?: Iterable<string>
  /** Names of environments that are made together with it. */
  envNames?: Iterable<string>
}

interface Referrer {
  id: string
  accountId: string
}

/**
 * What the caller may refer to: an environment that they may read, and its credentials with the permission for these.
 * What they may not know of is not there; the lookup throws FORBIDDEN for credentials of what they know.
 */
export async function referable(
  { tx, caller }: { tx: Transaction; caller: Caller },
  { id, accountId }: Referrer,
  urlOf: UrlLookup,
  values: Iterable<string>,
  granted: Granted = {},
): Promise<UrlLookup> {
  const names = [...new Set(appEnvReferences(values).map(({ envName }) => envName))]
  if (names.length === 0) return urlOf
  const select = { id: true, cliEnvName: true, serviceCredentials: { select: { id: true } } }
  const found = await tx.appEnv.findMany({ where: { accountId, cliEnvName: { in: names }, deletedAt: null }, select })
  const named = new Map(found.map((appEnv) => [appEnv.cliEnvName, appEnv]))
  const had = appEnvReferences(granted.values ?? [])
  const made = new Set(granted.envNames)
  const isSecret = ({ envName, url }: AppEnvReference) =>
    holdsCredentials(url) && Boolean(named.get(envName)?.serviceCredentials)
  // Whatever holds the credentials holds every address, too.
  const isGranted = (asked: AppEnvReference) =>
    had.some((one) => one.envName === asked.envName && (isSecret(one) || !isSecret(asked)))
  return (reference) => {
    const url = urlOf(reference)
    const appEnv = named.get(reference.envName)
    if (url === null || !appEnv) return null
    if (appEnv.id === id || made.has(reference.envName) || isGranted(reference)) return url
    const on = { accountId, appEnvId: appEnv.id }
    if (!may(caller, 'appEnv:read', on)) return null
    if (isSecret(reference)) permit(caller, 'credentials:refer', on)
    return url
  }
}
