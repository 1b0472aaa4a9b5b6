import { type OpenVariable, variable } from '../../resources/variable.ts'
import { recordType } from '../derive/resource-fields.ts'

export const Variable = recordType<OpenVariable>(variable)
