import type { Logger } from 'pino'
import type { CommandContext } from '../../calls/command.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { BackupSchedule } from '../backup/backup-schedule.ts'
import { deployedService, newBackup, requireBackupRoom, storageOf } from '../backup/new-backup.ts'
import { scheduleOf } from '../backup/schedule-change.ts'
import { nextTime } from '../schedule/cron-times.ts'
import { asSystem, type SystemTools } from '../system/as-system.ts'
import { eachAppEnv, RETRY_SECONDS } from '../system/each-app-env.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { beginOperation, type Intent, openOperationOf } from './begin-operation.ts'

interface Tools extends SystemTools {
  log: Logger
}

/** The actor of operations that a schedule asked for. */
const SCHEDULE = 'backup-schedule'
const AT_ONCE = 20
const RETRY_BASE_SECONDS = 600

/**
 * Begins the backups that are due, once for each time of a schedule: the row of the environment is locked, and its next
 * time is set in the same transaction. Times that passed while no worker ran count as one. Then begins verifications
 * of scheduled backups that were not verified yet. Neither takes the place of another operation: it waits.
 */
export async function beginDueBackups(tools: Tools): Promise<void> {
  const due = await tools.database.$queryRaw<{ id: string }[]>`
    SELECT id FROM app_env e WHERE next_backup_at <= now() AND deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING'))
    ORDER BY next_backup_at LIMIT ${AT_ONCE}`
  await eachOf(tools, due, scheduledBackup)
  await eachOf(tools, await withoutBase(tools.database), base)
  const unverified = await tools.database.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT b.app_env_id AS id FROM backup b JOIN app_env e ON e.id = b.app_env_id
    WHERE b.kind = 'SCHEDULED' AND b.status = 'AVAILABLE' AND b.verified_at IS NULL AND b.verify_message IS NULL
      AND e.deleted_at IS NULL AND e.status = 'RUNNING' AND b.id = (
        SELECT max(n.id) FROM backup n WHERE n.app_env_id = b.app_env_id AND n.kind = 'SCHEDULED' AND n.status = 'AVAILABLE')
      AND (SELECT count(*) FROM operation o WHERE o.backup_id = b.id AND o.kind = 'VERIFY_BACKUP') < 3
      AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING'))
    LIMIT ${AT_ONCE}`
  await eachOf(tools, unverified, verification)
}

/** Point in time is on, and no backup belongs to the log of what runs now: it was just turned on, or the log has a gap. */
const withoutBase = (database: Database) => database.$queryRaw<{ id: string }[]>`
  SELECT e.id FROM app_env e WHERE e.backup_schedule->>'pointInTime' = 'true' AND e.deleted_at IS NULL
    AND e.status = 'RUNNING' AND e.health = 'HEALTHY' AND e.volume_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING'))
    AND NOT EXISTS (SELECT 1 FROM backup b JOIN log_archive a ON a.id = b.archive_id
      WHERE b.app_env_id = e.id AND b.status = 'AVAILABLE' AND a.volume_id = e.volume_id AND a.ended_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM backup b WHERE b.app_env_id = e.id AND b.is_base AND b.status = 'FAILED'
      AND b.created_at > now() - make_interval(secs => ${RETRY_BASE_SECONDS}))
  LIMIT ${AT_ONCE}`

type Decide = (context: CommandContext, appEnv: LoadedAppEnv) => Promise<Intent | null>

const eachOf = (tools: Tools, found: readonly { id: string }[], decide: Decide): Promise<void> =>
  eachAppEnv(
    found.map(({ id }) => id),
    {
      log: tools.log,
      what: 'Beginning a scheduled backup',
      begin: (appEnvId) =>
        asSystem(tools, appEnvId, SCHEDULE, (context, appEnv) => begunOperation(context, appEnv, decide)),
      postpone: (appEnvId) => tools.database.$executeRaw`
        UPDATE app_env SET next_backup_at = now() + make_interval(secs => ${RETRY_SECONDS})
        WHERE id = ${appEnvId} AND next_backup_at <= now()`,
    },
  )

async function begunOperation(context: CommandContext, appEnv: LoadedAppEnv, decide: Decide) {
  // Found by another worker too.
  if (await openOperationOf(context.tx, appEnv)) return null
  const intent = await decide(context, appEnv)
  if (!intent) return null
  const { id: operationId, kind, backupId } = await beginOperation(context, appEnv, intent)
  const details = { operationId, kind, backupKey: backupId }
  return { action: 'scheduledBackup', targetType: 'appEnv', targetId: appEnv.id, details }
}

async function scheduledBackup(context: CommandContext, appEnv: LoadedAppEnv): Promise<Intent | null> {
  const { tx } = context
  const schedule = scheduleOf(appEnv)
  const now = await databaseTime(tx)
  if (!schedule || !appEnv.nextBackupAt || appEnv.nextBackupAt > now) return null
  await tx.appEnv.update({ where: { id: appEnv.id }, data: { nextBackupAt: nextTime(schedule, now) } })
  // Stopped, or never deployed: there is nothing that has changed.
  return appEnv.status === 'RUNNING' ? begun(context, appEnv, schedule) : null
}

async function base(context: CommandContext, appEnv: LoadedAppEnv): Promise<Intent | null> {
  const schedule = scheduleOf(appEnv)
  return schedule?.pointInTime && appEnv.status === 'RUNNING' ? begun(context, appEnv, schedule) : null
}

async function begun(context: CommandContext, appEnv: LoadedAppEnv, schedule: BackupSchedule): Promise<Intent | null> {
  const { tx, config } = context
  const { presetVersion, engine } = deployedService(appEnv)
  const isBase = Boolean(schedule.pointInTime && engine.pointInTime && appEnv.volume)
  const about = { kind: 'SCHEDULED', presetVersion, isBase } as const
  try {
    await requireBackupRoom({ tx, config }, appEnv.accountId)
    const storageCredentialId = await storageOf(context, appEnv, 'storage', schedule.storage)
    const { id, create } = newBackup(context, appEnv, { ...about, storageCredentialId })
    return { kind: 'BACKUP', backupId: id, prepare: create }
  } catch (error) {
    // Shown in the list of backups: no caller waits for an answer.
    const { id, create } = newBackup(context, appEnv, { ...about, storageCredentialId: null })
    await create('')
    const message = error instanceof Error ? error.message : String(error)
    const finishedAt = await databaseTime(tx)
    const data = { status: 'FAILED', message, hasLeftovers: false, finishedAt } as const
    await tx.backup.update({ where: { id }, data })
    return null
  }
}

async function verification({ tx }: CommandContext, appEnv: LoadedAppEnv): Promise<Intent | null> {
  const newest = await tx.backup.findFirst({
    where: { appEnvId: appEnv.id, kind: 'SCHEDULED', status: 'AVAILABLE' },
    orderBy: { id: 'desc' },
  })
  if (!newest || newest.verifiedAt || newest.verifyMessage !== null || appEnv.status !== 'RUNNING') return null
  return { kind: 'VERIFY_BACKUP', backupId: newest.id }
}
