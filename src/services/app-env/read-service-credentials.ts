import { type Caller, permit } from '../../calls/caller.ts'
import type { Config } from '../../config/config.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { NewAuditEntry } from '../../storage/events/audit-hash.ts'
import { record } from '../../storage/events/record.ts'
import { connectionUrlsOf, withAddress } from '../../storage/references/connection-urls.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import type { OpenServiceCredentials } from '../service-credentials/service-credentials-fields.ts'
import { loadAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'

interface Tools {
  database: Database
  vault: Vault
  config: Config
}

/** The credentials of a managed service, for callers who may see them. Leaves an audit entry. */
export async function readServiceCredentials(
  { database, vault, config }: Tools,
  caller: Caller,
  address: AppEnvAddress,
  { requestId }: { requestId: string },
): Promise<OpenServiceCredentials> {
  return database.$transaction(async (tx) => {
    const { id, accountId, cliEnvName } = await loadAppEnv(tx, caller, address)
    permit(caller, 'credentials:reveal', { accountId, appEnvId: id })
    const addressed = await tx.appEnv.findUniqueOrThrow({ where: { id }, select: withAddress })
    const { user, password, database: name, ...urls } = connectionUrlsOf({ config, vault }, addressed)
    const { internalUrl, externalUrl = null, readOnlyUrl = null } = urls
    if (!user || !password || !internalUrl) throw notFound('managed service', cliEnvName)
    // In the same transaction: a reveal that cannot be recorded does not happen.
    const entry: NewAuditEntry = {
      action: 'revealCredentials',
      actorType: 'USER',
      actorId: caller.userId,
      tokenId: caller.tokenId,
      targetType: 'appEnv',
      targetId: id,
      requestId,
      details: {},
    }
    await record(tx, accountId, [], { entry, heads: vault })
    return { username: user, password, database: name ?? null, internalUrl, externalUrl, readOnlyUrl }
  })
}
