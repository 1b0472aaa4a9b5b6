import { applyChanges } from './apply-changes.ts'
import { backUpAppEnv } from './back-up.ts'
import { buildAppEnv } from './build.ts'
import { deployImage } from './deploy-image.ts'
import { redeployAppEnv } from './redeploy.ts'
import { restoreBackup } from './restore-backup.ts'
import { rollbackAppEnv } from './rollback.ts'
import { rotateCredentials } from './rotate-credentials.ts'
import { startAppEnv } from './start.ts'
import { stopAppEnv } from './stop.ts'
import { verifyBackup } from './verify-backup.ts'

/** Every lifecycle operation, by the last part of its REST path. */
export const lifecycleOperations = {
  'deploy-image': deployImage,
  build: buildAppEnv,
  redeploy: redeployAppEnv,
  rollback: rollbackAppEnv,
  stop: stopAppEnv,
  start: startAppEnv,
  'apply-changes': applyChanges,
  backup: backUpAppEnv,
  'backup-restore': restoreBackup,
  'backup-verify': verifyBackup,
  'credentials/rotate': rotateCredentials,
} as const
