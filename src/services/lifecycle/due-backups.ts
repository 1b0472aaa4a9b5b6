import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/client.ts'
import { databaseTime } from '../../database/time.ts'
import { newId } from '../../domain/ids.ts'
import type { NewEvent } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { BackupSchedule } from '../backup/backup-schedule.ts'
import { deployedService, newBackup, requireBackupRoom, storageOf } from '../backup/new-backup.ts'
import { scheduleOf } from '../backup/schedule-change.ts'
import type { CommandContext } from '../kernel/command.ts'
import { nextTime } from '../schedule/cron-times.ts'
import { type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import { nobody } from './autoscale-app-env.ts'
import { beginOperation, type Intent } from './begin-operation.ts'
import { openOperationOf } from './open-operation.ts'

interface Tools {
  database: Database
  config: Config
  vault: Vault
}

/** The actor of operations that a schedule asked for. */
const SCHEDULE = 'backup-schedule'
const AT_ONCE = 20
const RETRY_BASE_SECONDS = 600

/**
 * Begins the backups that are due, once for each time of a schedule: the row of the environment is locked, and its next
 * time is set in the same transaction. Times that passed while nobody looked count as one. Then begins verifications
 * of scheduled backups that nobody has tried yet. Neither takes the place of another operation: it waits.
 */
export async function beginDueBackups(tools: Tools): Promise<void> {
  const due = await tools.database.$queryRaw<{ id: string }[]>`
    SELECT id FROM app_env e WHERE next_backup_at <= now() AND deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING'))
    ORDER BY next_backup_at LIMIT ${AT_ONCE}`
  for (const { id } of due) await inTransaction(tools, id, scheduledBackup)
  for (const { id } of await withoutBase(tools.database)) await inTransaction(tools, id, base)
  const unverified = await tools.database.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT b.app_env_id AS id FROM backup b JOIN app_env e ON e.id = b.app_env_id
    WHERE b.kind = 'SCHEDULED' AND b.status = 'AVAILABLE' AND b.verified_at IS NULL AND b.verify_message IS NULL
      AND e.deleted_at IS NULL AND e.status = 'RUNNING' AND b.id = (
        SELECT max(n.id) FROM backup n WHERE n.app_env_id = b.app_env_id AND n.kind = 'SCHEDULED' AND n.status = 'AVAILABLE')
      AND (SELECT count(*) FROM operation o WHERE o.backup_id = b.id AND o.kind = 'VERIFY_BACKUP') < 3
      AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING'))
    LIMIT ${AT_ONCE}`
  for (const { id } of unverified) await inTransaction(tools, id, verification)
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

async function inTransaction({ database, config, vault }: Tools, appEnvId: string, decide: Decide): Promise<void> {
  const requestId = newId('op')
  await database.$transaction(async (tx: Transaction) => {
    // Deleted since it was found, or found by another worker too.
    const appEnv = (await lockAppEnv(tx, { appEnvId }).catch(() => null))?.appEnv
    if (!appEnv || (await openOperationOf(tx, appEnv))) return
    const events: NewEvent[] = []
    const context: CommandContext = {
      ...{ tx, caller: nobody(SCHEDULE), requestId, config, vault, prepared: null },
      ...{ auditDetails() {}, created() {}, async permitOperation() {} },
      announce: (event) => void events.push(event),
    }
    const intent = await decide(context, appEnv)
    if (!intent) return
    const { id: operationId, kind, backupId } = await beginOperation(context, appEnv, intent)
    const entry = {
      ...{ action: 'scheduledBackup', actorType: 'SYSTEM' as const, actorId: null, tokenId: null },
      ...{ targetType: 'appEnv', targetId: appEnvId, requestId, details: { operationId, kind, backupKey: backupId } },
    }
    await record(tx, appEnv.accountId, events, { entry, heads: vault })
  })
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
    // Seen where backups are listed: nobody waits for an answer.
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
