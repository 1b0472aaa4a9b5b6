import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict } from '../../domain/errors.ts'
import { removeAppEnv } from '../lifecycle/remove-app-env.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'

export const deleteAppEnv = command({
  name: 'deleteAppEnv',
  rest: { method: 'DELETE', path: '/app-env', answer: messageAnswer },
  versioned: true,
  waits: true,
  about: 'Delete an environment. It disappears from all answers at once; its containers are removed in the background.',
  example: { answer: { message: 'Environment "production" is deleted' } },
  dangerous: true,
  input: z.strictObject(appEnvTarget),
  permission: 'appEnv:delete',
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, _input, target) {
    const { appEnv } = target
    if (appEnv.preventDestroy) {
      throw conflict(
        'PREVENT_DESTROY',
        `preventDestroy protects "${appEnv.cliEnvName}"; turn it off before deleting it`,
      )
    }
    const operationId = await removeAppEnv(context, target)
    context.auditDetails({ name: appEnv.name })
    return { message: `Environment "${appEnv.name}" is deleted`, operationId }
  },
  refresh: async (_tools, result, [{ message }]) => ({ ...result, message: `${result.message}. ${message}` }),
})
