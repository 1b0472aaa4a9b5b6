import type { variableRecords } from '../../services/app-env/app-env-record.ts'
import { builder } from '../builder.ts'
import { VariableTypeEnum } from './enums.ts'

type VariableShape = ReturnType<typeof variableRecords>[number]

export const Variable = builder.objectRef<VariableShape>('Variable').implement({
  description: 'An environment variable.',
  fields: (t) => ({
    id: t.id({ description: 'Its id.', resolve: (variable) => variable._id }),
    name: t.exposeString('name', { description: 'Its name.' }),
    value: t.exposeString('value', {
      description: 'Its value; `***SECRET***` for a secret that was not asked to be revealed.',
    }),
    type: t.expose('type', { type: VariableTypeEnum, description: 'Who reads it.' }),
    isSecret: t.exposeBoolean('isSecret', { description: 'Whether its value is kept from sight.' }),
  }),
})
