import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/client.ts'
import { inSnapshot } from '../../database/snapshot.ts'
import { appEnvStatusAnswer } from '../../resources/app-env-status.ts'
import { ORDER } from '../../resources/order.ts'
import type { Vault } from '../../secrets/vault.ts'
import { pendingChangesOf } from '../configuration/configured.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { loadAppEnv, observeAppEnv } from './app-env-queries.ts'

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
