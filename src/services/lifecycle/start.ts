import { conflict } from '../../domain/errors.ts'
import { acceptedExample } from '../targets/accepted.ts'
import { openOperationOf } from './begin-operation.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'

export const startAppEnv = lifecycleOperation({
  name: 'startAppEnv',
  path: '/app-env/start',
  about: 'Start a stopped environment with its current version.',
  example: { answer: acceptedExample('The environment is starting') },
  accepted: 'The environment is starting',
  input: {},
  async plan({ tx }, appEnv) {
    if (!appEnv.currentContentId)
      throw conflict('NEVER_DEPLOYED', 'Nothing was ever deployed here; deploy an image first')
    if (appEnv.status === 'RUNNING') throw conflict('ALREADY_RUNNING', 'The environment is running already')
    if (appEnv.status === 'UPDATING') {
      const open = await openOperationOf(tx, appEnv)
      if (open?.kind === 'START') throw conflict('ALREADY_STARTING', 'The environment is being started already')
      // A deployment in progress runs it anyway, and starting the previous version would undo that.
      if (open?.kind !== 'STOP')
        throw conflict('ALREADY_RUNNING', 'The environment is being updated, and runs when that is done')
    }
    return { intent: { kind: 'START', contentId: appEnv.currentContentId } }
  },
})
