import { clearBuildDirectories } from '../builds/build-directory.ts'
import type { InstallationContext } from '../context/worker-context.ts'
import { deleteOldLogs, trimLogs } from '../logs/delete-old-logs.ts'
import { deleteExpiredAnswers } from './delete-expired-answers.ts'
import { deleteOldCounts } from './delete-old-counts.ts'
import { everySweep } from './sweep.ts'
import { sweepBackups } from './sweep-backups.ts'
import { sweepOauth } from './sweep-oauth.ts'
import { sweepSignIns } from './sweep-sign-ins.ts'
import { sweepUploads } from './sweep-uploads.ts'

/**
 * Housekeeping that needs no engine, and goes on while one is away: backups that are due, environments whose time is over, and rows
 * past their retention.
 */
export async function sweepInstallationForever(context: InstallationContext, signal: AbortSignal): Promise<void> {
  const { database, config } = context
  await everySweep(context, signal, {
    async often() {
      await sweepBackups(context, signal)
      await context.beginDueBackups()
      await context.deleteExpiredAppEnvs()
    },
    async seldom() {
      await deleteExpiredAnswers(database)
      await sweepOauth(context)
      await sweepSignIns(database)
      await deleteOldCounts(database)
      await deleteOldLogs(database)
      await trimLogs(database, config.BERTH_LOG_KEPT_MB)
      await clearBuildDirectories(config, database)
      await sweepUploads(config, database)
    },
  })
}
