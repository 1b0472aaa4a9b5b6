import { z } from 'zod'
import { fieldsOf, flag, shownAs, text } from '../../calls/field.ts'
import { warning } from '../../calls/outcome.ts'
import { answer, pick } from '../../calls/resource.ts'
import { accepted } from '../targets/accepted.ts'
import { builtAppEnvReference } from '../targets/app-env-reference.ts'
import { appEnvAnswer, appEnvFields } from './app-env-fields.ts'
import { type OpenVariable, variable } from './variable-fields.ts'

interface Changed {
  message: string
  appliedImmediately: boolean
  notAppliedReason: string | undefined
  variables: OpenVariable[]
}

const field = fieldsOf<Changed>()

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

export const changedSettingAnswer = answer(changedSetting)

/** PATCH /app-env/branch: older clients read the branch from it. */
export const changedBranchAnswer = answer({
  ...changedSetting,
  appEnv: shownAs(accepted.appEnv, builtAppEnvReference.type, (appEnv) => appEnv as never),
})

const variables = field.given('variables', z.array(variable.answer.type), 'Environment variables, by name.')

export const changedVariables = { variables, ...applied }

export const variablesAnswer = answer({ variables })

export const changedVariablesAnswer = answer(changedVariables)

export const createdAppEnvAnswer = answer(pick(appEnvFields, 'appEnvId'))

export const updatedAppEnvAnswer = answer({ ...appEnvAnswer.fields, ...applied })
