import type { Fields } from '../../resources/field.ts'
import { lifecycle, ofBackup, rolledBack, storageKey } from '../../resources/outcome.ts'
import type { LifecycleResult } from '../../services/lifecycle/lifecycle-operation.ts'
import { lifecycleOperations } from '../../services/lifecycle/operations.ts'
import { cancelOperation } from '../../services/operation/cancel-operation.ts'
import { retryOperation } from '../../services/operation/retry-operation.ts'
import { notifyCodeUpload } from '../../services/upload/notify-code-upload.ts'
import { requestStorageKey } from '../../services/upload/request-storage-key.ts'
import { commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { appEnvField, operationField, outcomeFields } from './payload-fields.ts'

type Payload = Pick<LifecycleResult, 'appEnv' | 'operationId'>

const lifecycleFields = (t: PayloadBuilder<Payload>, fields: Fields = lifecycle) => ({
  ...outcomeFields(t, fields),
  appEnv: appEnvField(t),
  operation: operationField(t),
})

/** Of those that answer more than the others. */
const FIELDS: Readonly<Record<string, Fields>> = {
  rollbackAppEnv: rolledBack,
  backUpAppEnv: ofBackup,
  restoreBackup: ofBackup,
  verifyBackup: ofBackup,
}

for (const operation of Object.values(lifecycleOperations)) {
  commandMutation(operation, {
    versioned: true,
    waits: true,
    payload: (t) => lifecycleFields(t as unknown as PayloadBuilder<Payload>, FIELDS[operation.name] ?? lifecycle),
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

commandMutation(requestStorageKey, { versioned: true, payload: (t) => outcomeFields(t, storageKey) })
