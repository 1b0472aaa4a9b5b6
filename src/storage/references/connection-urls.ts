import type { ConnectionUrls } from '../../app-types/app-type.ts'
import { getAppType } from '../../app-types/app-types.ts'
import { engineOf } from '../../app-types/behaviours.ts'
import type { EngineCredentials } from '../../app-types/engines/engine.ts'
import type { Config } from '../../config/config.ts'
import { externalAddress } from '../../domain/external-address.ts'
import { publicUrl } from '../../domain/public-url.ts'
import { type AppEnvReference, appEnvReferences } from '../../domain/references.ts'
import { replicasHost } from '../../domain/replicas-host.ts'
import type { Database, Transaction } from '../database/client.ts'
import type { Prisma } from '../database/generated/prisma/client.ts'
import type { Vault } from '../secrets/vault.ts'

/** Finds the address of an environment, or a part of it, among those that were loaded. */
export type UrlLookup = (reference: AppEnvReference) => string | null

interface Tools {
  tx: Database | Transaction
  config: Config
  vault: Vault
}

/** What the addresses of an environment are made from. */
export const withAddress = {
  cliEnvName: true,
  presetVersion: true,
  containers: true,
  account: { select: { id: true, dataKey: true } },
  app: { select: { port: true, type: true, dockerPreset: true } },
  region: { select: { domain: true, code: true, engine: true } },
  externalAccess: { select: { port: true } },
  hosts: { where: { status: 'VALID' }, orderBy: { id: 'asc' }, take: 1 },
  serviceCredentials: { select: { id: true, sealedData: true } },
} satisfies Prisma.AppEnvSelect

type Addressed = Prisma.AppEnvGetPayload<{ select: typeof withAddress }>

/** The addresses of an environment, with its credentials in them where it has some: never logged, never stored. */
export function connectionUrlsOf({ config, vault }: Omit<Tools, 'tx'>, appEnv: Addressed): ConnectionUrls {
  const { cliEnvName, app, presetVersion, hosts } = appEnv
  const engine = engineOf(app, presetVersion)
  return getAppType(app.type).connectionUrls({
    engine,
    credentials: openedCredentials(vault, appEnv),
    host: cliEnvName,
    port: app.port,
    publicUrl: hosts[0] ? publicUrl(config, hosts[0].host) : null,
    externalAddress: externalAddress(config, appEnv),
    replicasHost: engine?.replication && appEnv.containers > 1 ? replicasHost(cliEnvName) : null,
  })
}

/** The credentials of a managed service; null where there are none. */
export function openedCredentials(
  vault: Vault,
  { account, serviceCredentials }: Pick<Addressed, 'account' | 'serviceCredentials'>,
): EngineCredentials | null {
  if (!serviceCredentials) return null
  const { id, sealedData } = serviceCredentials
  return vault.forAccount(account).openServiceCredentials(id, sealedData) as EngineCredentials
}

/** Whose variables refer to others. */
interface Referrer {
  accountId: string
  regionCode: string
}

/**
 * Loads the addresses of other environments of the account: `internalUrl` by name on the account's network,
 * `externalUrl` by the first valid host. Null for an environment that does not exist, or has no such address: one on
 * another engine has the external one only, because the account has a network on each.
 */
export async function connectionUrls(
  tools: Tools,
  { accountId, regionCode }: Referrer,
  values: Iterable<string>,
  { includesDeleted = false } = {},
): Promise<UrlLookup> {
  const names = new Set(appEnvReferences(values).map(({ envName }) => envName))
  if (names.size === 0) return () => null
  const appEnvs = await tools.tx.appEnv.findMany({
    where: { accountId, cliEnvName: { in: [...names] }, ...(includesDeleted ? {} : { deletedAt: null }) },
    // The last environment of a name wins: an existing one before a deleted one.
    orderBy: { deletedAt: { sort: 'asc', nulls: 'last' } },
    select: withAddress,
  })
  const own = await tools.tx.region.findUniqueOrThrow({
    where: { code: regionCode },
    select: { code: true, engine: true },
  })
  const known = new Map(
    appEnvs.map((appEnv) => {
      const isElsewhere = engineOfRegion(appEnv.region) !== engineOfRegion(own)
      return [appEnv.cliEnvName, { isElsewhere, urls: connectionUrlsOf(tools, appEnv) }]
    }),
  )
  return ({ envName, url }) => {
    const found = known.get(envName)
    if (!found || (found.isElsewhere && url !== 'externalUrl')) return null
    return found.urls[url] ?? null
  }
}

/** The region that has its engine to itself; null for the engine of the installation. */
const engineOfRegion = ({ code, engine }: { code: string; engine: string | null }): string | null =>
  engine === null ? null : code
