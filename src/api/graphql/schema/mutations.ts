import type { ResultOf } from '../../../calls/command.ts'
import { pick } from '../../../calls/resource.ts'
import {
  createAccount,
  renameAccount,
  setCurrentAccount,
  updateAccount,
} from '../../../services/account/account-commands.ts'
import { createdAccount } from '../../../services/account/account-fields.ts'
import { updatedApp } from '../../../services/app/app-fields.ts'
import { createApp } from '../../../services/app/create-app.ts'
import { updateApp } from '../../../services/app/update-app.ts'
import type { Changed, SettingResult } from '../../../services/app-env/change-setting.ts'
import { createAppEnv } from '../../../services/app-env/create-app-env.ts'
import { deleteAppEnv } from '../../../services/app-env/delete-app-env.ts'
import {
  changeBranch,
  changeHealthcheck,
  changeResources,
  changeScaling,
  renameAppEnv,
} from '../../../services/app-env/setting-commands.ts'
import { applied, changedSetting, changedVariables } from '../../../services/app-env/setting-fields.ts'
import { updateAppEnv } from '../../../services/app-env/update-app-env.ts'
import { changeVariables, deleteVariable, setVariables } from '../../../services/app-env/variable-commands.ts'
import { rotateToken } from '../../../services/token/rotate-token.ts'
import { createToken } from '../../../services/token/token-commands.ts'
import { previousUntil, tokenSecret } from '../../../services/token/token-fields.ts'
import { commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { described } from '../derive/resource-fields.ts'
import {
  accountById,
  appById,
  appEnvById,
  appEnvField,
  messageField,
  operationField,
  outcomeFields,
} from './payload-fields.ts'
import { Token } from './token.ts'

for (const setting of [changeResources, changeScaling, changeBranch, changeHealthcheck, renameAppEnv]) {
  commandMutation(setting, (t) => ({
    ...outcomeFields(t, changedSetting),
    appEnv: appEnvField(t as unknown as PayloadBuilder<SettingResult>),
    operation: operationField(t as unknown as PayloadBuilder<SettingResult>),
  }))
}

for (const change of [setVariables, changeVariables, deleteVariable]) {
  commandMutation(change, (t) => ({
    appEnv: appEnvById(t, false),
    ...outcomeFields(t, changedVariables),
    operation: operationField(t as unknown as PayloadBuilder<Changed>),
  }))
}

commandMutation(createAccount, (t) => ({
  account: accountById(t, true),
  ...outcomeFields(t, pick(createdAccount, 'credentialId')),
}))
commandMutation(updateAccount, (t) => ({ account: accountById(t, false) }))
commandMutation(renameAccount, (t) => ({ account: accountById(t, false) }))
commandMutation(setCurrentAccount, (t) => ({ account: accountById(t, false), message: messageField(t) }))

commandMutation(createApp, (t) => ({
  app: appById(t, true),
  appEnv: appEnvById(t, true),
  operation: operationField(t),
}))
commandMutation(updateApp, (t) => ({
  app: appById(t, false),
  ...outcomeFields(t, pick(updatedApp, 'environmentsAffected', 'notApplied')),
}))

commandMutation(createAppEnv, (t) => ({ appEnv: appEnvById(t, true), operation: operationField(t) }))
commandMutation(updateAppEnv, (t) => ({
  appEnv: appEnvById(t, false),
  ...outcomeFields(t, applied),
  operation: operationField(t as unknown as PayloadBuilder<Changed>),
}))
commandMutation(deleteAppEnv, (t) => ({ message: messageField(t), operation: operationField(t) }))

/** A token, and its secret, which is shown this once. */
const tokenFields = <Result extends ResultOf<typeof createToken>>(t: PayloadBuilder<Result>) => ({
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
})

commandMutation(createToken, tokenFields)
commandMutation(rotateToken, (t) => ({ ...tokenFields(t), ...outcomeFields(t, { previousUntil }) }))
