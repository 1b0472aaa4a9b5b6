import { member } from '../../resources/member.ts'
import { applied, createdAccount, updatedApp } from '../../resources/outcome.ts'
import { pick } from '../../resources/resource.ts'
import { previousUntil, tokenSecret } from '../../resources/token.ts'
import {
  createAccount,
  deleteAccount,
  setCurrentAccount,
  updateAccount,
} from '../../services/account/account-commands.ts'
import { addMember, removeMember, updateMember } from '../../services/account/member-commands.ts'
import { createApp } from '../../services/app/create-app.ts'
import { deleteApp } from '../../services/app/delete-app.ts'
import { updateApp } from '../../services/app/update-app.ts'
import type { Changed } from '../../services/app-env/change-setting.ts'
import { createAppEnv } from '../../services/app-env/create-app-env.ts'
import { deleteAppEnv } from '../../services/app-env/delete-app-env.ts'
import { updateAppEnv } from '../../services/app-env/update-app-env.ts'
import { connectGitInstallation } from '../../services/git/connect-git-installation.ts'
import { rotateToken } from '../../services/token/rotate-token.ts'
import { createToken, revokeToken } from '../../services/token/token-commands.ts'
import { commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { described } from '../derive/resource-fields.ts'
import { accountById, appById, appEnvById, messageField, operationField, outcomeFields } from './payload-fields.ts'
import { Token } from './token.ts'

commandMutation(createAccount, {
  payload: (t) => ({ account: accountById(t, true), ...outcomeFields(t, pick(createdAccount, 'credentialId')) }),
})
commandMutation(updateAccount, { versioned: true, payload: (t) => ({ account: accountById(t, false) }) })
commandMutation(deleteAccount, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(setCurrentAccount, {
  versioned: true,
  payload: (t) => ({ account: accountById(t, false), message: messageField(t) }),
})

commandMutation(addMember, { versioned: true, payload: (t) => outcomeFields(t, member.fields) })
commandMutation(updateMember, { versioned: true, payload: (t) => outcomeFields(t, member.fields) })
commandMutation(removeMember, { versioned: true, payload: (t) => ({ message: messageField(t) }) })

commandMutation(createApp, { payload: (t) => ({ app: appById(t, true) }) })
commandMutation(updateApp, {
  versioned: true,
  waits: true,
  payload: (t) => ({
    app: appById(t, false),
    ...outcomeFields(t, pick(updatedApp, 'environmentsAffected', 'notApplied')),
  }),
})
commandMutation(deleteApp, { versioned: true, waits: true, payload: (t) => ({ message: messageField(t) }) })

commandMutation(createAppEnv, {
  waits: true,
  payload: (t) => ({ appEnv: appEnvById(t, true), operation: operationField(t) }),
})
commandMutation(updateAppEnv, {
  versioned: true,
  waits: true,
  payload: (t) => ({
    appEnv: appEnvById(t, false),
    ...outcomeFields(t, applied),
    operation: operationField(t as unknown as PayloadBuilder<Changed>),
  }),
})
commandMutation(deleteAppEnv, {
  versioned: true,
  waits: true,
  payload: (t) => ({ message: messageField(t), operation: operationField(t) }),
})

commandMutation(connectGitInstallation, { payload: (t) => ({ message: messageField(t) }) })

commandMutation(createToken, {
  payload: (t) => ({
    token: t.field({
      type: Token,
      nullable: true,
      description: 'The token, without its secret.',
      resolve: ({ result, dryRun }) => (dryRun ? null : result),
    }),
    secret: t.string({
      nullable: true,
      ...described('Token', 'token', tokenSecret.description),
      resolve: ({ result, dryRun }) => (dryRun ? null : result.token),
    }),
  }),
})
commandMutation(revokeToken, { payload: (t) => ({ message: messageField(t) }) })
commandMutation(rotateToken, {
  payload: (t) => ({
    token: t.field({
      type: Token,
      nullable: true,
      description: 'The token, without its secret.',
      resolve: ({ result, dryRun }) => (dryRun ? null : result),
    }),
    secret: t.string({
      nullable: true,
      ...described('Token', 'token', tokenSecret.description),
      resolve: ({ result, dryRun }) => (dryRun ? null : result.token),
    }),
    ...outcomeFields(t, { previousUntil }),
  }),
})
