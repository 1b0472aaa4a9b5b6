import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, text } from '../../calls/field.ts'
import { answer, pick } from '../../calls/resource.ts'
import type { AppEnv } from '../../storage/database/generated/prisma/client.ts'

export const appEnvStatus = enumeration('AppEnvStatus', 'Lifecycle status of an environment.', {
  PENDING: 'No version was deployed yet.',
  UPDATING: 'An operation is in progress.',
  RUNNING: 'The environment runs and can be reached.',
  STOPPED: 'The environment was scaled to zero on request.',
})

const field = fieldsOf<AppEnv>()

export const referred = {
  appEnvId: field.column('id', text, 'Id of the environment.', { inGraphQL: { name: 'id' } }),
  name: field.column('name', text, 'Name of the environment.'),
  gitBranch: field.column('gitBranch', text.nullable(), 'Git branch that the environment is built from.'),
  status: field.column('status', appEnvStatus.type, 'Lifecycle status of the environment.'),
}

/** The environment in answers to writes. */
export const appEnvReference = answer(pick(referred, 'appEnvId', 'name', 'status'))

/** The same after a change of the branch. */
export const builtAppEnvReference = answer(pick(referred, 'appEnvId', 'name', 'status', 'gitBranch'))
