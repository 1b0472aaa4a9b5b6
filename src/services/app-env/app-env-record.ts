import type { Database, Transaction } from '../../database/client.ts'
import type { Variable } from '../../database/generated/prisma/client.ts'
import { appEnvAnswer } from '../../resources/app-env.ts'
import { ORDER } from '../../resources/order.ts'
import type { OpenVariable } from '../../resources/variable.ts'
import type { Vault } from '../../secrets/vault.ts'
import { MASK, pendingChangesOf } from '../configuration/configured.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** The full record (contract §3, GET /app-env). Secrets are masked unless `reveal`. */
export async function appEnvRecord(tx: Transaction | Database, vault: Vault, appEnv: LoadedAppEnv, reveal = false) {
  const hosts = await tx.host.findMany({ where: { appEnvId: appEnv.id }, orderBy: ORDER.host })
  const envVars = variableRecords(appEnv.variables, vault, appEnv.account, reveal)
  return appEnvAnswer.record({ ...appEnv, hosts, envVars, pendingChanges: pendingChangesOf(appEnv, vault) })
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
