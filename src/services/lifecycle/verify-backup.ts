import { id } from '../../calls/input.ts'
import { backupCallAnswer } from '../backup/backup-fields.ts'
import { deployedService } from '../backup/new-backup.ts'
import { requireQuiet } from './back-up.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { checkVersion, readableBackup } from './restore-backup.ts'

export const verifyBackup = lifecycleOperation({
  name: 'verifyBackup',
  path: '/app-env/backup-verify',
  answer: backupCallAnswer,
  about:
    'Restore a backup into a throw-away container without a network, and check the restored data. The service itself keeps running.',
  accepted: 'The backup is being verified',
  permission: 'backup:create',
  input: { backupKey: id('backup') },
  async plan(context, appEnv, { backupKey }) {
    const { engine, presetVersion } = deployedService(appEnv)
    await requireQuiet(context, appEnv)
    const backup = await readableBackup(context, appEnv, backupKey)
    checkVersion(engine, backup, presetVersion)
    return { intent: { kind: 'VERIFY_BACKUP', backupId: backup.id }, backupKey }
  },
})
