import type { Fields } from '../../../calls/field.ts'
import { ofBackup } from '../../../services/backup/backup-fields.ts'
import type { LifecycleResult } from '../../../services/lifecycle/lifecycle-operation.ts'
import { lifecycleOperations } from '../../../services/lifecycle/operations.ts'
import { rolledBack } from '../../../services/lifecycle/rollback-fields.ts'
import { cancelOperation } from '../../../services/operation/cancel-operation.ts'
import { retryOperation } from '../../../services/operation/retry-operation.ts'
import { accepted as lifecycle } from '../../../services/targets/accepted.ts'
import { notifyCodeUpload } from '../../../services/upload/notify-code-upload.ts'
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

for (const operation of lifecycleOperations) {
  commandMutation(operation, (t) =>
    lifecycleFields(t as unknown as PayloadBuilder<Payload>, FIELDS[operation.name] ?? lifecycle),
  )
}

commandMutation(cancelOperation, (t) => lifecycleFields(t as unknown as PayloadBuilder<Payload>))

commandMutation(retryOperation, (t) => lifecycleFields(t as unknown as PayloadBuilder<Payload>))

commandMutation(notifyCodeUpload, (t) => lifecycleFields(t as unknown as PayloadBuilder<Payload>))
