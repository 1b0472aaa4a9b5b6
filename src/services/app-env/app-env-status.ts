import type { Caller } from '../../calls/caller.ts'
import { ORDER } from '../../calls/order.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../storage/database/client.ts'
import { inSnapshot } from '../../storage/database/snapshot.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { pendingChangesOf } from '../configuration/configured.ts'
import { loadAppEnv, observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { appEnvStatusAnswer } from './app-env-status-fields.ts'

/** What was asked for, what runs, and how far apart the two are (contract §2, desired and observed). */
export async function readAppEnvStatus(
  { database, vault, config }: { database: Database; vault: Vault; config: Config },
  caller: Caller,
  address: AppEnvAddress,
) {
  const { appEnv, latestContent, hosts } = await inSnapshot(database, async (tx) => {
    const appEnv = await loadAppEnv(tx, caller, address, observeAppEnv)
    const where = { appEnvId: appEnv.id }
    const latestContent = await tx.content.findFirst({ where, orderBy: ORDER.deployment })
    return { appEnv, latestContent, hosts: await tx.host.findMany({ where, orderBy: ORDER.host }) }
  })
  const row = { ...appEnv, hosts, latestContent, pendingChanges: pendingChangesOf(appEnv, vault) }
  return appEnvStatusAnswer.record(row, { caller, config })
}
