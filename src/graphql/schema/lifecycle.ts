import type { RollbackInfo as Info, LifecycleResult } from '../../services/lifecycle/lifecycle-operation.ts'
import { lifecycleOperations } from '../../services/lifecycle/operations.ts'
import { cancelOperation } from '../../services/operation/cancel-operation.ts'
import { retryOperation } from '../../services/operation/retry-operation.ts'
import { notifyCodeUpload } from '../../services/upload/notify-code-upload.ts'
import { requestStorageKey } from '../../services/upload/request-storage-key.ts'
import { builder } from '../builder.ts'
import { commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { appEnvField, operationField } from './payload-fields.ts'

const RollbackInfo = builder.objectRef<Info>('RollbackInfo').implement({
  description: 'From which version to which a rollback goes.',
  fields: (t) => ({
    fromVersion: t.exposeInt('fromVersion', { description: 'Number of the version that served.' }),
    toVersion: t.exposeInt('toVersion', { description: 'Number of the version that is brought back.' }),
    contentId: t.exposeID('contentId', { description: 'Id of the version that is brought back.' }),
  }),
})

type Payload = Pick<LifecycleResult, 'success' | 'message' | 'appEnv' | 'operationId'>

const lifecycleFields = (t: PayloadBuilder<Payload>) => ({
  success: t.boolean({ description: 'The operation was accepted.', resolve: ({ result }) => result.success }),
  message: t.string({ description: 'The same in words.', resolve: ({ result }) => result.message }),
  appEnv: appEnvField(t),
  operation: operationField(t),
})

const rollbackField = (t: PayloadBuilder<LifecycleResult>) => ({
  rollbackInfo: t.field({
    type: RollbackInfo,
    nullable: true,
    description: 'From which version to which.',
    resolve: ({ result }) => result.rollbackInfo,
  }),
})

for (const operation of Object.values(lifecycleOperations)) {
  commandMutation(operation, {
    versioned: true,
    waits: true,
    payload: (t) => ({
      ...lifecycleFields(t as unknown as PayloadBuilder<Payload>),
      ...(operation.name === 'rollbackAppEnv' ? rollbackField(t as PayloadBuilder<LifecycleResult>) : {}),
    }),
  })
}

commandMutation(cancelOperation, {
  versioned: true,
  payload: (t) => lifecycleFields(t as unknown as PayloadBuilder<Payload>),
})

commandMutation(retryOperation, {
  versioned: true,
  waits: true,
  payload: (t) => lifecycleFields(t as unknown as PayloadBuilder<Payload>),
})

commandMutation(notifyCodeUpload, {
  versioned: true,
  waits: true,
  payload: (t) => lifecycleFields(t as unknown as PayloadBuilder<Payload>),
})

commandMutation(requestStorageKey, {
  payload: (t) => ({
    uploadUrl: t.string({
      description: 'PUT the archive there, as it is, within an hour. Needs no other authorization.',
      resolve: ({ result }) => result.uploadUrl,
    }),
    storageKey: t.id({
      description: 'Names the upload in notifyCodeUpload.',
      resolve: ({ result }) => result.storageKey,
    }),
    envUrl: t.string({
      nullable: true,
      description: 'Where the environment answers once it is deployed.',
      resolve: ({ result }) => result.envUrl,
    }),
  }),
})
