import { createAccount, deleteAccount, setCurrentAccount } from '../../services/account/account-commands.ts'
import { addMember, removeMember, updateMember } from '../../services/account/member-commands.ts'
import { createApp } from '../../services/app/create-app.ts'
import { deleteApp } from '../../services/app/delete-app.ts'
import { updateApp } from '../../services/app/update-app.ts'
import type { Changed } from '../../services/app-env/change-setting.ts'
import { createAppEnv } from '../../services/app-env/create-app-env.ts'
import { deleteAppEnv } from '../../services/app-env/delete-app-env.ts'
import { updateAppEnv } from '../../services/app-env/update-app-env.ts'
import { createToken, revokeToken } from '../../services/token/token-commands.ts'
import { builder } from '../builder.ts'
import { commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { RoleEnum } from './enums.ts'
import { accountById, appById, appEnvById, appliedFields, messageField, operationField } from './payload-fields.ts'
import { asToken, Token } from './token.ts'

interface ChangedMember {
  userId: string
  email: string
  roles: string[]
  appEnvIds: string[] | null
}

const memberFields = (t: PayloadBuilder<ChangedMember>) => ({
  userId: t.id({ description: 'Id of the user.', resolve: ({ result }) => result.userId }),
  email: t.string({ description: 'E-mail address of the user.', resolve: ({ result }) => result.email }),
  roles: t.field({ type: [RoleEnum], description: 'Their roles.', resolve: ({ result }) => result.roles as 'ADMIN'[] }),
  appEnvIds: t.idList({
    nullable: true,
    description: 'Environments they are restricted to; null: all.',
    resolve: ({ result }) => result.appEnvIds,
  }),
})

interface LeftAlone {
  appEnvId: string
  reason: string
}

const NotApplied = builder.objectRef<LeftAlone>('NotApplied').implement({
  description: 'An environment whose pending changes were not applied.',
  fields: (t) => ({
    appEnvId: t.exposeID('appEnvId', { description: 'The environment.' }),
    reason: t.exposeString('reason', { description: 'Why it was left alone.' }),
  }),
})

commandMutation(createAccount, { payload: (t) => ({ account: accountById(t, true) }) })
commandMutation(deleteAccount, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(setCurrentAccount, { payload: (t) => ({ account: accountById(t, false), message: messageField(t) }) })

commandMutation(addMember, { payload: (t) => memberFields(t as unknown as PayloadBuilder<ChangedMember>) })
commandMutation(updateMember, { payload: (t) => memberFields(t as unknown as PayloadBuilder<ChangedMember>) })
commandMutation(removeMember, { payload: (t) => ({ message: messageField(t) }) })

commandMutation(createApp, { payload: (t) => ({ app: appById(t, true) }) })
commandMutation(updateApp, {
  versioned: true,
  payload: (t) => ({
    app: appById(t, false),
    environmentsAffected: t.int({
      description: 'How many environments the change is pending for, or was applied to.',
      resolve: ({ result }) => result.environmentsAffected,
    }),
    notApplied: t.field({
      type: [NotApplied],
      description: 'Environments that applyImmediately asked for and that were left alone.',
      resolve: ({ result }) => (result.notApplied ?? []) as LeftAlone[],
    }),
  }),
})
commandMutation(deleteApp, { versioned: true, payload: (t) => ({ message: messageField(t) }) })

commandMutation(createAppEnv, { payload: (t) => ({ appEnv: appEnvById(t, true) }) })
commandMutation(updateAppEnv, {
  versioned: true,
  waits: true,
  payload: (t) => ({
    appEnv: appEnvById(t, false),
    ...appliedFields(t as unknown as PayloadBuilder<Changed>),
  }),
})
commandMutation(deleteAppEnv, {
  versioned: true,
  waits: true,
  payload: (t) => ({ message: messageField(t), operation: operationField(t) }),
})

commandMutation(createToken, {
  payload: (t) => ({
    token: t.field({
      type: Token,
      nullable: true,
      description: 'The token, without its secret.',
      resolve: ({ result, dryRun }) => (dryRun ? null : asToken(result)),
    }),
    secret: t.string({
      nullable: true,
      description: 'What to send in the Authorization header. It is shown here and never again.',
      resolve: ({ result, dryRun }) => (dryRun ? null : result.token),
    }),
  }),
})
commandMutation(revokeToken, { payload: (t) => ({ message: messageField(t) }) })
