import { getAppType } from '../app-types/app-types.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/client.ts'
import { publicUrl } from '../domain/public-url.ts'
import { type AppEnvReference, appEnvReferences, type UrlKind } from '../domain/references.ts'

/** Finds the address of an environment among those that were loaded. */
export type UrlLookup = (reference: AppEnvReference) => string | null

/**
 * Loads the addresses of other environments of the account: `internalUrl` by name on the account's network,
 * `externalUrl` by the first valid host. Null for an environment that does not exist, or has no such address.
 */
export async function connectionUrls(
  { tx, config }: { tx: Database | Transaction; config: Config },
  accountId: string,
  values: Iterable<string>,
  { includesDeleted = false } = {},
): Promise<UrlLookup> {
  const names = new Set(appEnvReferences(values).map(({ envName }) => envName))
  if (names.size === 0) return () => null
  const appEnvs = await tx.appEnv.findMany({
    where: { accountId, cliEnvName: { in: [...names] }, ...(includesDeleted ? {} : { deletedAt: null }) },
    // The last environment of a name wins: an existing one before a deleted one.
    orderBy: { deletedAt: { sort: 'asc', nulls: 'last' } },
    select: {
      cliEnvName: true,
      app: { select: { port: true, type: true } },
      hosts: { where: { status: 'VALID' }, orderBy: { id: 'asc' }, take: 1 },
    },
  })
  const known = new Map<string, Record<UrlKind, string | null>>(
    appEnvs.map(({ cliEnvName, app: { port, type }, hosts: [first] }) => {
      const facts = { host: cliEnvName, port, publicUrl: first ? publicUrl(config, first.host) : null }
      return [cliEnvName, getAppType(type).connectionUrls(facts)]
    }),
  )
  return ({ envName, url }) => known.get(envName)?.[url] ?? null
}
