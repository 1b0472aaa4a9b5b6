import { command } from '../../calls/command.ts'
import { invalidField } from '../../domain/errors.ts'
import { type AppTarget, lockApp } from '../targets/load-app.ts'
import { createAppEnvInput } from './app-env-input.ts'
import { createAppEnvOf } from './new-app-env.ts'
import { createdAppEnvAnswer } from './setting-fields.ts'

export const createAppEnv = command({
  name: 'createAppEnv',
  rest: { method: 'POST', path: '/app-env', answer: createdAppEnvAnswer },
  waits: true,
  about:
    'Create an environment of an app. It is PENDING until something is deployed to it; a managed service is deployed at once.',
  example: {
    request: {
      name: 'production',
      region: 'local',
      zClouds: 1,
      containers: 2,
      envVars: [{ name: 'GREETING', value: 'hello' }],
    },
  },
  input: createAppEnvInput,
  permission: 'appEnv:change',
  async target({ tx }, { appId, accountId }): Promise<AppTarget> {
    const target = await lockApp(tx, appId)
    if (accountId && target.accountId !== accountId)
      throw invalidField('accountId', 'is not the account that owns the app')
    return { ...target, type: 'app', version: undefined }
  },
  async execute(context, { accountId: _account, appId: _app, ...input }, { app }) {
    context.auditDetails({ name: input.name })
    return createAppEnvOf(context, app, input)
  },
})
