import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

export const variableType = enumeration('VariableType', 'Reader of an environment variable.', {
  DEPLOY: 'Containers read the variable.',
  BUILD: 'Builds read the variable.',
  BOTH: 'Containers and builds read the variable.',
})

/** A variable with its value opened, or masked. */
export interface OpenVariable {
  _id: string
  name: string
  value: string
  type: 'DEPLOY' | 'BUILD' | 'BOTH'
  isSecret: boolean
}

const field = fieldsOf<OpenVariable>()

export const variable = resource({
  name: 'Variable',
  id: 'Variable',
  description: 'An environment variable of an environment.',
  examples: {
    _id: exampleId('var'),
    isSecret: false,
  },
  fields: {
    _id: field.column('_id', text, 'Id of the variable.', { inGraphQL: { name: 'id' } }),
    name: field.column('name', text, 'Name of the variable.'),
    value: field.column('value', text, 'Value of the variable; `***SECRET***` in place of a secret.'),
    type: field.column('type', variableType.type, 'Reader of the variable: containers, builds or both.'),
    isSecret: field.column('isSecret', flag, 'Whether the value is a secret.'),
  },
})
