import type { Database } from '../../database/client.ts'
import type { Content } from '../../database/generated/prisma/client.ts'
import { inSnapshot } from '../../database/snapshot.ts'
import type { Vault } from '../../secrets/vault.ts'
import { pendingChangesOf } from '../configuration/configured.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { loadAppEnv } from './app-env-queries.ts'
import { replicaCounts } from './replica-counts.ts'

const LABELS: Record<Content['status'], string> = {
  QUEUED: 'Queued',
  BUILDING: 'Building',
  BUILT: 'Built',
  DEPLOYING: 'Deploying',
  DEPLOYED: 'Deployed',
  JOB_READY: 'Ready to run',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
}

/** A version as status and history show it (contract §3). */
export const deploymentRecord = (content: Content) => ({
  contentId: content.id,
  version: content.version,
  status: content.status,
  statusLabel: LABELS[content.status],
  isSuccess: content.status === 'DEPLOYED' || content.status === 'JOB_READY',
  isFailed: content.status === 'FAILED',
  reason: content.reason,
  message: content.message,
  deployedAt: content.deployedAt?.toISOString() ?? null,
  gitBranch: content.gitBranch,
  gitCommitId: content.gitCommitId,
  containerImage: content.image,
  imageDigest: content.imageDigest,
  imageFromCache: content.imageFromCache,
  type: content.type,
})

/** What was asked for, what runs, and how far apart the two are (contract §2, desired and observed). */
export async function readAppEnvStatus(
  { database, vault }: { database: Database; vault: Vault },
  caller: Caller,
  address: AppEnvAddress,
) {
  const { appEnv, latest, hosts } = await inSnapshot(database, async (tx) => {
    const appEnv = await loadAppEnv(tx, caller, address)
    const where = { appEnvId: appEnv.id }
    const latest = await tx.content.findFirst({ where, orderBy: { version: 'desc' } })
    return { appEnv, latest, hosts: await tx.host.findMany({ where, orderBy: { id: 'asc' } }) }
  })
  const changes = pendingChangesOf(appEnv, vault)
  return {
    appEnvId: appEnv.id,
    status: appEnv.status,
    currentContentId: appEnv.currentContentId,
    currentVersion: appEnv.currentContent?.version ?? null,
    currentDeployment: appEnv.currentContent ? deploymentRecord(appEnv.currentContent) : null,
    latestDeployment: latest ? deploymentRecord(latest) : null,
    pendingChanges: {
      hasBuildChanges: changes.some(({ kind }) => kind === 'BUILD'),
      hasDeployChanges: changes.some(({ kind }) => kind === 'DEPLOY'),
      hasScaleChanges: changes.some(({ kind }) => kind === 'SCALE'),
      changes,
    },
    hosts: hosts.map(({ host }) => host),
    health: appEnv.health,
    replicas: replicaCounts(appEnv),
    restarts: {
      count: appEnv.restartCount,
      lastAt: appEnv.lastRestartAt?.toISOString() ?? null,
      lastReason: appEnv.lastRestartReason,
    },
    sleeping: false,
    observedAt: appEnv.observedAt?.toISOString() ?? null,
    observedReason: appEnv.observedReason,
  }
}
