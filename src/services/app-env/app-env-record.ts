import { shownTypeConfig } from '../../app-types/type-config.ts'
import type { Database, Transaction } from '../../database/client.ts'
import type { AppEnv, Variable, Volume } from '../../database/generated/prisma/client.ts'
import { explicitResources, resourcesOf } from '../../domain/resources.ts'
import type { Vault } from '../../secrets/vault.ts'
import { MASK, pendingChangesOf } from '../configuration/configured.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** The list item of §2.4, whose status is lower case in lists and upper case everywhere else (§3). */
export function appEnvListItem(appEnv: AppEnv, hosts: readonly { host: string }[]) {
  return {
    appEnvId: appEnv.id,
    appId: appEnv.appId,
    name: appEnv.name,
    slug: appEnv.slug,
    region: appEnv.regionCode,
    gitBranch: appEnv.gitBranch,
    deploymentName: appEnv.deploymentName,
    cliEnvName: appEnv.cliEnvName,
    hosts: hosts.map(({ host }) => host),
    status: appEnv.status.toLowerCase(),
    resources: appEnvResources(appEnv),
    createdAt: appEnv.createdAt.toISOString(),
    updatedAt: appEnv.updatedAt.toISOString(),
  }
}

export function appEnvResources(appEnv: Pick<AppEnv, 'containers' | 'zClouds' | 'cpu' | 'memoryMb'>) {
  const { containers, zClouds } = appEnv
  const { cpu, memoryMb } = resourcesOf({ zClouds, resources: explicitResources(appEnv) })
  return { containers, zClouds, cpu, memory: memoryMb }
}

/** A volume as an environment's record shows it. */
export const mountedVolume = (volume: Volume | null) =>
  volume ? { volumeId: volume.id, path: volume.path, disk: volume.diskMb } : null

/** The full record (contract §3, GET /app-env). Secrets are masked unless `reveal`. */
export async function appEnvRecord(tx: Transaction | Database, vault: Vault, appEnv: LoadedAppEnv, reveal = false) {
  const hosts = await tx.host.findMany({ where: { appEnvId: appEnv.id }, orderBy: { id: 'asc' } })
  return {
    ...appEnvListItem(appEnv, hosts),
    status: appEnv.status,
    accountId: appEnv.accountId,
    allowUserCliToken: appEnv.allowUserCliToken,
    preventDestroy: appEnv.preventDestroy,
    startupConfig: appEnv.startupConfig,
    ...shownTypeConfig(appEnv.typeConfig),
    databaseSettings: null,
    volume: mountedVolume(appEnv.volume),
    healthCheck: appEnv.healthCheck,
    autoScaling: appEnv.autoScaling,
    pendingChanges: pendingChangesOf(appEnv, vault),
    currentContentId: appEnv.currentContentId,
    currentVersion: appEnv.currentContent?.version ?? null,
    envVars: variableRecords(appEnv.variables, vault, appEnv.account, reveal),
  }
}

export function variableRecords(
  variables: Variable[],
  vault: Vault,
  account: { id: string; dataKey: string },
  reveal: boolean,
) {
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
