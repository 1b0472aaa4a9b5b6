import type { CommandContext } from '../../calls/command.ts'
import type { AppEnvStatus } from '../../domain/app-env.ts'
import { type Configuration, recordedConfiguration } from '../../domain/configuration.ts'
import { newId } from '../../domain/ids.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Content, Operation, OperationKind } from '../../storage/database/generated/prisma/client.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { notifyIngresses, notifyRuns, notifyWorkers } from '../../storage/events/notifications.ts'
import { extentOf, requireExtentWithinPlan } from '../plan/extent.ts'
import { requireBuildMinutes } from '../plan/plan-limits.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import type { NewContent } from './new-content.ts'

/** The environment's open operation, of which there is at most one. */
export const openOperationOf = (tx: Transaction, appEnv: { id: string }) =>
  tx.operation.findFirst({ where: { appEnvId: appEnv.id, status: { in: [...OPEN_STATUSES] } } })

/** Whether it is stopped or stopping: only a call that asks for a start may bring it up again. */
export async function isStopped(tx: Transaction, appEnv: { id: string; status: AppEnvStatus }): Promise<boolean> {
  if (appEnv.status !== 'UPDATING') return appEnv.status === 'STOPPED'
  return (await openOperationOf(tx, appEnv))?.kind === 'STOP'
}

export interface Intent {
  kind: OperationKind
  /** A new version to deploy. */
  content?: NewContent
  /** An existing version to bring back (start). */
  contentId?: string
  /** The backup that it takes, restores or verifies. */
  backupId?: string
  /** The moment that it restores; omitted: that of the backup. */
  pointInTime?: Date | null
  /** Writes what has to exist with the operation, which has this id. */
  prepare?: (operationId: string) => Promise<void>
  /** The operation that is being retried. */
  retriesId?: string
}

/**
 * Records an accepted change of an environment: its new version, the operation and the status, in the caller's
 * transaction and under the environment's row lock. A newer operation supersedes the open one, so that there is never
 * more than one (contract §2).
 */
export async function beginOperation(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  intent: Intent,
): Promise<Operation> {
  const { tx, caller, config, requestId } = context
  if (intent.content?.build && !intent.content.imageDigest) await requireBuildMinutes(context, appEnv)
  await requireVersionWithinPlan(context, appEnv, intent)
  const superseded = await endOpenOperation(context, appEnv, 'SUPERSEDED', 'A newer operation took its place')
  const content = intent.content ? await createContent(context, appEnv, intent.content) : null
  const now = await databaseTime(tx)
  const id = newId('op')
  await intent.prepare?.(id)
  const operation = await tx.operation.create({
    data: {
      id,
      accountId: appEnv.accountId,
      appEnvId: appEnv.id,
      kind: intent.kind,
      backupId: intent.backupId ?? null,
      pointInTime: intent.pointInTime ?? null,
      contentId: content?.id ?? intent.contentId ?? null,
      previousStatus: superseded?.previousStatus ?? appEnv.status,
      maxAttempts: config.BERTH_OPERATION_ATTEMPTS,
      deadlineAt: new Date(now.getTime() + config.BERTH_ENGINE_WAIT_SECONDS * 1000),
      retriesId: intent.retriesId ?? null,
      requestId,
      requestedBy: caller.userId ?? caller.tokenId,
    },
  })
  await tx.$executeRaw`
    UPDATE app_env SET status = 'UPDATING', due_at = now(), version = version + 1, updated_at = now(),
      last_version = ${content?.version ?? appEnv.lastVersion} WHERE id = ${appEnv.id}`
  const about = { appId: appEnv.appId, appEnvId: appEnv.id, operationId: operation.id }
  context.announce({
    type: 'operation.queued',
    ...about,
    payload: { kind: intent.kind, contentId: operation.contentId },
  })
  if (appEnv.status !== 'UPDATING') {
    context.announce({
      type: 'appEnv.statusChanged',
      ...about,
      payload: { status: 'UPDATING', previousStatus: appEnv.status },
    })
    await notifyIngresses(tx)
  }
  context.created(operation.id, content?.id)
  context.auditDetails({
    operationId: operation.id,
    kind: intent.kind,
    contentId: operation.contentId,
    version: content?.version,
  })
  await notifyWorkers(tx, appEnv.id)
  return operation
}

/**
 * Ends the environment's open operation, if there is one, at once and for good. The worker that runs it finds out at
 * its next write, which is fenced, and stops; reconciliation cleans up what it had begun.
 */
export async function endOpenOperation(
  { tx, announce }: CommandContext,
  appEnv: { id: string; appId: string },
  reason: 'SUPERSEDED' | 'CANCELLED_BY_USER',
  message: string,
): Promise<{ id: string; previousStatus: AppEnvStatus } | null> {
  const open = await tx.operation.findFirst({ where: { appEnvId: appEnv.id, status: { in: [...OPEN_STATUSES] } } })
  if (!open) return null
  const ended = { status: 'CANCELLED', reason, message } as const
  const finishedAt = await databaseTime(tx)
  await tx.operation.update({ where: { id: open.id }, data: { ...ended, finishedAt, version: { increment: 1 } } })
  if (open.contentId) {
    // `start` runs a version again that was DEPLOYED long ago: only a version that was in progress is cancelled.
    await tx.content.updateMany({
      where: { id: open.contentId, status: { in: ['QUEUED', 'BUILDING', 'BUILT', 'DEPLOYING'] } },
      data: { ...ended, finishedAt },
    })
  }
  // A worker may be running the release command of the version.
  await notifyRuns(tx, appEnv.id)
  const payload = { kind: open.kind, reason, contentId: open.contentId }
  announce({ type: 'operation.cancelled', appId: appEnv.appId, appEnvId: appEnv.id, operationId: open.id, payload })
  return open
}

function createContent({ tx, caller }: CommandContext, appEnv: LoadedAppEnv, content: NewContent): Promise<Content> {
  return tx.content.create({
    data: {
      id: newId('con'),
      accountId: appEnv.accountId,
      appEnvId: appEnv.id,
      version: appEnv.lastVersion + 1,
      type: content.build ? 'BUILD' : 'IMAGE_FROM',
      image: content.image,
      imageDigest: content.imageDigest,
      configuration: content.configuration as object,
      fromContentId: content.fromContentId,
      ...(content.promotedFrom ? { promotedFrom: { ...content.promotedFrom } } : {}),
      ...(content.build ? builtFrom(content.build) : {}),
      requestedBy: caller.userId ?? caller.tokenId,
    },
  })
}

const builtFrom = ({ plan, key, branch, commit, about }: NonNullable<NewContent['build']>) => ({
  buildPlan: plan as unknown as object,
  buildKey: key,
  gitBranch: branch,
  gitCommitId: commit,
  gitCommit: jsonOrNull(about),
})

interface Coming {
  kind: OperationKind
  content?: { configuration: Configuration }
  contentId?: string | undefined
}

/** Operations after which an environment runs as it is configured, or as a version recorded. */
const BRINGS_ABOUT: ReadonlySet<OperationKind> = new Set<OperationKind>([
  'DEPLOY_IMAGE',
  'BUILD',
  'REDEPLOY',
  'PROMOTE',
  'ROLLBACK',
  'START',
  'APPLY_CHANGES',
  'RESTORE',
])

/**
 * Throws FORBIDDEN when an operation would bring about more than the plan allows and than runs already: the plan may have
 * shrunk since the settings were changed or the version was recorded.
 */
async function requireVersionWithinPlan(context: CommandContext, appEnv: LoadedAppEnv, intent: Coming): Promise<void> {
  if (!BRINGS_ABOUT.has(intent.kind)) return
  const next = await nextConfiguration(context, appEnv, intent)
  if (!next) return
  const sized = ({ typeConfig, zClouds }: Configuration, containers: number) =>
    extentOf(appEnv.app, { containers, autoScaling: appEnv.autoScaling, typeConfig, zClouds })
  const runs = !(await isStopped(context.tx, appEnv)) && appEnv.currentContent
  const present = runs ? sized(recordedConfiguration(runs), appEnv.replicasDesired) : null
  requireExtentWithinPlan(appEnv.account.plan, sized(next, appEnv.containers), present)
}

async function nextConfiguration(
  { tx }: CommandContext,
  { currentContent }: LoadedAppEnv,
  { content, contentId }: Coming,
): Promise<Configuration | null> {
  if (content) return content.configuration
  const recorded = contentId ? await tx.content.findUniqueOrThrow({ where: { id: contentId } }) : currentContent
  return recorded ? recordedConfiguration(recorded) : null
}
