import { conflict } from '../../domain/errors.ts'
import { endRunning } from '../open-runs/end-runs.ts'
import { acceptedExample } from '../targets/accepted.ts'
import { openOperationOf } from './begin-operation.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'

export const stopAppEnv = lifecycleOperation({
  name: 'stopAppEnv',
  path: '/app-env/stop',
  about: 'Scale the containers to zero. The environment cannot be reached until it is started.',
  example: { answer: acceptedExample('The environment is stopping') },
  accepted: 'The environment is stopping',
  dangerous: true,
  input: {},
  async plan(context, appEnv) {
    if (appEnv.status === 'PENDING') throw conflict('NEVER_DEPLOYED', 'Nothing runs here: nothing was ever deployed')
    if (appEnv.status === 'STOPPED') throw conflict('ALREADY_STOPPED', 'The environment is stopped already')
    const open = await openOperationOf(context.tx, appEnv)
    if (open?.kind === 'STOP') throw conflict('ALREADY_STOPPING', 'The environment is being stopped already')
    await endRunning(context, appEnv)
    return { intent: { kind: 'STOP' } }
  },
})
