import { conflict } from '../../domain/errors.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { openOperationOf } from './open-operation.ts'

export const startAppEnv = lifecycleOperation({
  name: 'startAppEnv',
  about: 'Start a stopped environment: its current version runs again.',
  accepted: 'The environment is starting',
  input: {},
  async plan({ tx }, appEnv) {
    if (!appEnv.currentContentId)
      throw conflict('NEVER_DEPLOYED', 'Nothing was ever deployed here; deploy an image first')
    if (appEnv.status === 'RUNNING') throw conflict('ALREADY_RUNNING', 'The environment is running already')
    if (appEnv.status === 'UPDATING') {
      const open = await openOperationOf(tx, appEnv)
      // On its way down, or up from being stopped: anything else is a deployment that runs it anyway.
      const isStopped = open?.kind === 'STOP' || open?.previousStatus === 'STOPPED'
      if (!isStopped) throw conflict('ALREADY_RUNNING', 'The environment is running, and being updated')
    }
    return { intent: { kind: 'START', contentId: appEnv.currentContentId } }
  },
})
