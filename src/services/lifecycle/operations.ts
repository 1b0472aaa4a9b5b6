import { applyChanges } from './apply-changes.ts'
import { buildAppEnv } from './build.ts'
import { deployImage } from './deploy-image.ts'
import { redeployAppEnv } from './redeploy.ts'
import { rollbackAppEnv } from './rollback.ts'
import { rotateCredentials } from './rotate-credentials.ts'
import { startAppEnv } from './start.ts'
import { stopAppEnv } from './stop.ts'

/** Every lifecycle operation, by the last part of its REST path. */
export const lifecycleOperations = {
  'deploy-image': deployImage,
  build: buildAppEnv,
  redeploy: redeployAppEnv,
  rollback: rollbackAppEnv,
  stop: stopAppEnv,
  start: startAppEnv,
  'apply-changes': applyChanges,
  'credentials/rotate': rotateCredentials,
} as const
