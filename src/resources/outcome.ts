import { z } from 'zod'
import { account } from './account.ts'
import { app } from './app.ts'
import { appEnvAnswer, appEnvFields, appEnvReference, builtAppEnvReference } from './app-env.ts'
import { credential } from './credential.ts'
import { fieldsOf, flag, shownAs, text, time, whole } from './field.ts'
import { answer, pick, resource } from './resource.ts'
import { type OpenVariable, variable } from './variable.ts'
import { webhookDelivery } from './webhook-delivery.ts'

/** What commands answer. Their results have these names already. */
interface Outcome {
  success: boolean
  message: string
  appEnv: z.output<typeof appEnvReference.type>
  rollbackInfo: { fromVersion: number; toVersion: number; contentId: string }
  appliedImmediately: boolean
  notAppliedReason: string | undefined
  warning: string | undefined
  accepted: boolean | null
  environmentsAffected: number
  notApplied: { appEnvId: string; reason: string }[] | undefined
  variables: OpenVariable[]
  uploadUrl: string
  storageKey: string
  envUrl: string | null
  backupKey: string
  downloadUrl: string
  expiresAt: string
}

const field = fieldsOf<Outcome>()
const isResolvedThere = { inGraphQL: { isResolvedThere: true } } as const

const rollback = fieldsOf<Outcome['rollbackInfo']>()

const rollbackInfo = resource({
  name: 'RollbackInfo',
  description: 'Versions that a rollback leads from and to.',
  fields: {
    fromVersion: rollback.given('fromVersion', whole, 'Number of the version that served before.'),
    toVersion: rollback.given('toVersion', whole, 'Number of the version that is deployed again.'),
    contentId: rollback.given('contentId', text, 'Id of the version that is deployed again.'),
  },
})

const left = fieldsOf<{ appEnvId: string; reason: string }>()

const notApplied = resource({
  name: 'NotApplied',
  description: 'An environment whose pending changes were not applied.',
  fields: {
    appEnvId: left.given('appEnvId', text, 'Id of the environment.'),
    reason: left.given('reason', text, 'Why the changes were not applied.'),
  },
})

export const message = field.given('message', text, 'Summary of what was done.')

/** §2.5, the shared shape. */
const accepted = {
  success: field.given(
    'success',
    flag,
    'Whether the call was accepted; after a wait, false when its operation failed or was cancelled.',
  ),
  message: field.given(
    'message',
    text,
    'What was accepted; after a wait, the outcome of the operation and, if it failed, the version that serves now.',
  ),
  appEnv: field.given(
    'appEnv',
    appEnvReference.type,
    'Environment, with the status that the call gave it.',
    isResolvedThere,
  ),
}

/** §2.5: between message and appEnv, as §4.1 lists them. */
export const rolledBack = {
  success: accepted.success,
  message: accepted.message,
  rollbackInfo: field.given('rollbackInfo', rollbackInfo.answer.type, 'Versions that the rollback leads from and to.', {
    inGraphQL: { nullable: true },
  }),
  appEnv: accepted.appEnv,
}

/** Of calls about a backup. */
export const ofBackup = {
  success: accepted.success,
  message: accepted.message,
  backupKey: field.given('backupKey', text, 'Key of the backup.', { inGraphQL: { type: 'ID' } }),
  appEnv: accepted.appEnv,
}

export const backupDownload = {
  downloadUrl: field.given(
    'downloadUrl',
    text,
    'Address that the content of the backup can be read from, decrypted, until it expires. It needs no other authorization.',
  ),
  expiresAt: field.given('expiresAt', time, 'Time at which the address expires.'),
}

const warning = field.given(
  'warning',
  text.optional(),
  'Data that is lost when the changes are applied; left out where none is.',
)

/** What became of applyImmediately. */
export const applied = {
  appliedImmediately: field.given('appliedImmediately', flag, 'Whether the changes are being deployed now.'),
  notAppliedReason: field.given(
    'notAppliedReason',
    text.optional(),
    'Why the changes were not deployed, although applyImmediately was set.',
  ),
  warning,
}

/** Contract §3, PATCH /app-env/resources and its like. */
export const changedSetting = {
  success: accepted.success,
  message: field.given('message', text, 'Summary of the changes.'),
  appEnv: accepted.appEnv,
  ...applied,
}

/** PATCH /app-env/branch: older clients read the branch from it. */
const changedBranch = {
  ...changedSetting,
  appEnv: shownAs(accepted.appEnv, builtAppEnvReference.type, (appEnv) => appEnv as never),
}

export const updatedApp = {
  ...pick(app.fields, 'appId', 'name', 'dockerPreset', 'port'),
  environmentsAffected: field.given(
    'environmentsAffected',
    whole,
    'Number of environments that the change is pending for, or is being applied to.',
  ),
  notApplied: field.given(
    'notApplied',
    z.array(notApplied.answer.type).optional(),
    'Environments that the change was not applied to, although applyImmediately was set.',
    { inGraphQL: { nullable: false, whenAbsent: [] } },
  ),
  warning,
}

/** The answer to testWebhook. */
export const testedWebhook = {
  deliveryId: shownAs(webhookDelivery.fields.deliveryId, text, (id) => id),
  ...pick(webhookDelivery.fields, 'status', 'durationMs', 'answerStatus', 'error'),
}

/** An additional field of the answers to createCredential and updateCredential. */
export const savedUntried = field.given(
  'warning',
  text.optional(),
  'Why the login was saved without having been tried; left out where it was tried, or could not be.',
)

/** The answer to testCredential. */
export const testedCredential = {
  ...pick(credential.fields, 'credentialId', 'checkedAt'),
  accepted: field.given(
    'accepted',
    flag.nullable(),
    'Whether the registry accepts the login; null where it gave no answer.',
  ),
  message: field.given('message', text, 'Result of the registry’s check of the login, as text.'),
}

/** With the login of a registry, an account comes with a credential. */
export const createdAccount = {
  ...pick(account.fields, 'accountId'),
  credentialId: shownAs(credential.fields.credentialId, text.optional(), (id) => id),
}

const variables = field.given('variables', z.array(variable.answer.type), 'Environment variables, by name.')

export const changedVariables = { variables, ...applied }

export const storageKey = {
  uploadUrl: field.given(
    'uploadUrl',
    text,
    'Address to PUT the archive to within an hour. It needs no other authorization.',
  ),
  storageKey: field.given('storageKey', text, 'Key that names the upload in notifyCodeUpload.', {
    inGraphQL: { type: 'ID' },
  }),
  envUrl: field.given('envUrl', text.nullable(), 'Address of the environment once it is deployed.'),
}

/** What a dry run adds to any answer. */
export const dryRun = {
  dryRun: fieldsOf<{ dryRun: true | undefined }>().given(
    'dryRun',
    z.literal(true).optional(),
    'Whether the call was a dry run, which changed nothing.',
  ),
  changes: fieldsOf<{ changes: Record<string, unknown> | undefined }>().given(
    'changes',
    z.record(z.string(), z.unknown()).optional(),
    'Changes that the call would make. Only in the answer to a dry run.',
  ),
}

export const lifecycle = accepted

/** What each command answers over REST. */
export const answers = {
  message: answer({ message }),
  lifecycle: answer(accepted, { id: 'Lifecycle', description: 'An accepted lifecycle call.' }),
  backup: answer(ofBackup, { id: 'BackupCall', description: 'An accepted call about a backup.' }),
  backupDownload: answer(backupDownload, { id: 'BackupDownload', description: 'An address to read a backup from.' }),
  rollback: answer(rolledBack, { id: 'Rollback', description: 'An accepted rollback.' }),
  changedSetting: answer(changedSetting),
  changedBranch: answer(changedBranch),
  variables: answer({ variables }),
  changedVariables: answer(changedVariables),
  storageKey: answer(storageKey, { id: 'StorageKey', description: 'An address to upload source code to.' }),
  createdApp: answer(pick(app.fields, 'appId')),
  updatedApp: answer(updatedApp),
  createdAppEnv: answer(pick(appEnvFields, 'appEnvId')),
  updatedAppEnv: answer({ ...appEnvAnswer.fields, ...applied }),
  createdAccount: answer(createdAccount),
  updatedAccount: answer({
    ...pick(account.fields, 'accountId', 'allowFunctions', 'allowAutoScaling'),
    plan: fieldsOf<{ plan: string }>().given('plan', text, account.fields.plan.description),
    entitlements: account.fields.entitlements,
  }),
  currentAccount: answer({ ...pick(account.fields, 'accountId'), message }),
  createdCredential: answer({ ...pick(credential.fields, 'credentialId', 'checkedAt'), warning: savedUntried }),
  changedCredential: answer({ ...credential.fields, warning: savedUntried }),
  testedCredential: answer(testedCredential),
  testedWebhook: answer({ webhookId: webhookDelivery.fields.webhookId, ...testedWebhook }),
}
