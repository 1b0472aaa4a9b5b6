import { fieldsOf, text, whole } from '../../calls/field.ts'
import { answer, resource } from '../../calls/resource.ts'
import { accepted } from '../targets/accepted.ts'

interface RollbackInfo {
  fromVersion: number
  toVersion: number
  contentId: string
}

const rollback = fieldsOf<RollbackInfo>()

const rollbackInfo = resource({
  name: 'RollbackInfo',
  description: 'Versions that a rollback leads from and to.',
  fields: {
    fromVersion: rollback.given('fromVersion', whole, 'Number of the version that served before.'),
    toVersion: rollback.given('toVersion', whole, 'Number of the version that is deployed again.'),
    contentId: rollback.given('contentId', text, 'Id of the version that is deployed again.'),
  },
})

const field = fieldsOf<{ rollbackInfo: RollbackInfo }>()

/** §2.5: between message and appEnv, as §4.1 lists them. */
export const rolledBack = {
  success: accepted.success,
  message: accepted.message,
  rollbackInfo: field.given('rollbackInfo', rollbackInfo.answer.type, 'Versions that the rollback leads from and to.', {
    inGraphQL: { nullable: true },
  }),
  appEnv: accepted.appEnv,
}

export const rollbackAnswer = answer(rolledBack, { id: 'Rollback', description: 'An accepted rollback.' })
