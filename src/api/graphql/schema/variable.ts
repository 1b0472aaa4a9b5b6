import { type OpenVariable, variable } from '../../../services/app-env/variable-fields.ts'
import { recordType } from '../derive/resource-fields.ts'

export const Variable = recordType<OpenVariable>(variable)
