import { type Caller, permit } from '../../calls/caller.ts'
import { ORDER } from '../../calls/order.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { Variable } from '../../storage/database/generated/prisma/client.ts'
import { inSnapshot } from '../../storage/database/snapshot.ts'
import type { NewAuditEntry } from '../../storage/events/audit-hash.ts'
import { record } from '../../storage/events/record.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { MASK, pendingChangesOf } from '../configuration/configured.ts'
import { loadAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress, LoadedAppEnv } from '../targets/load-app-env.ts'
import { appEnvAnswer } from './app-env-fields.ts'
import type { OpenVariable } from './variable-fields.ts'

interface Tools {
  database: Database
  vault: Vault
  config: Config
}

interface RecordTools {
  tx: Transaction | Database
  vault: Vault
  config: Config
}

/** The full record (contract §3, GET /app-env). Secrets are masked unless `reveal`. */
export async function appEnvRecord({ tx, vault, config }: RecordTools, appEnv: LoadedAppEnv, reveal = false) {
  const hosts = await tx.host.findMany({ where: { appEnvId: appEnv.id }, orderBy: ORDER.host })
  const labels = await tx.appEnvLabel.findMany({ where: { appEnvId: appEnv.id }, orderBy: ORDER.label })
  const envVars = variableRecords(appEnv.variables, vault, appEnv.account, reveal)
  const row = { ...appEnv, hosts, labels, envVars, pendingChanges: pendingChangesOf(appEnv, vault) }
  // No field of an environment depends on who reads it.
  return appEnvAnswer.record(row, { config, caller: { currentAccountId: null } })
}

export function variableRecords(
  variables: Variable[],
  vault: Vault,
  account: { id: string; dataKey: string },
  reveal: boolean,
): OpenVariable[] {
  if (variables.length === 0) return []
  const accountVault = vault.forAccount(account)
  return variables.map((variable) => ({
    _id: variable.id,
    name: variable.name,
    value: variable.isSecret && !reveal ? MASK : accountVault.openVariable(variable),
    type: variable.type,
    isSecret: variable.isSecret,
  }))
}

/** The record of GET /app-env. `decrypt` shows secrets, to callers with that right, and leaves an audit entry. */
export async function readAppEnvRecord(
  { database, vault, config }: Tools,
  caller: Caller,
  address: AppEnvAddress,
  { decrypt, requestId }: { decrypt: boolean; requestId: string },
) {
  const { appEnv, record } = await inSnapshot(database, async (tx) => {
    const appEnv = await loadAppEnv(tx, caller, address)
    if (decrypt) permit(caller, 'variable:reveal', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    return { appEnv, record: await appEnvRecord({ tx, vault, config }, appEnv, decrypt) }
  })
  if (decrypt) await auditReveal({ database, vault }, caller, appEnv, requestId)
  return { record, version: appEnv.version }
}

/** The variables of GET /app-env/variables; `showSecrets` needs that right, and leaves an audit entry. */
export async function readVariables(
  tools: Tools,
  caller: Caller,
  address: AppEnvAddress,
  { showSecrets, requestId }: { showSecrets: boolean; requestId: string },
) {
  const { record, version } = await readAppEnvRecord(tools, caller, address, { decrypt: showSecrets, requestId })
  return { variables: record.envVars, version }
}

/** Written before anything is shown: a reveal that cannot be recorded does not happen. */
function auditReveal(
  { database, vault }: Pick<Tools, 'database' | 'vault'>,
  caller: Caller,
  appEnv: { id: string; accountId: string },
  requestId: string,
) {
  const entry: NewAuditEntry = {
    action: 'revealVariables',
    actorType: 'USER',
    actorId: caller.userId,
    tokenId: caller.tokenId,
    targetType: 'appEnv',
    targetId: appEnv.id,
    requestId,
    details: {},
  }
  return database.$transaction((tx) => record(tx, appEnv.accountId, [], { entry, heads: vault }))
}
