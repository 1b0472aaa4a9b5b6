import { applyChanges } from './apply-changes.ts'
import { backUpAppEnv } from './back-up.ts'
import { buildAppEnv } from './build.ts'
import { deployImage } from './deploy-image.ts'
import { promoteDeployment } from './promote.ts'
import { redeployAppEnv } from './redeploy.ts'
import { restartAppEnv } from './restart.ts'
import { restoreBackup } from './restore-backup.ts'
import { rollbackAppEnv } from './rollback.ts'
import { rotateCredentials } from './rotate-credentials.ts'
import { startAppEnv } from './start.ts'
import { stopAppEnv } from './stop.ts'
import { verifyBackup } from './verify-backup.ts'

/** What runs, and whether it does. */
export const deploymentOperations = [
  deployImage,
  buildAppEnv,
  redeployAppEnv,
  restartAppEnv,
  promoteDeployment,
  rollbackAppEnv,
  stopAppEnv,
  startAppEnv,
  applyChanges,
] as const

/** What a service keeps. */
export const backupOperations = [backUpAppEnv, restoreBackup, verifyBackup] as const

/** Who may read it. */
export const serviceOperations = [rotateCredentials] as const

/** Every lifecycle operation. */
export const lifecycleOperations = [...deploymentOperations, ...backupOperations, ...serviceOperations] as const
