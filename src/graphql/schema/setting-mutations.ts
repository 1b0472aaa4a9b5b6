import type { Changed, SettingResult } from '../../services/app-env/change-setting.ts'
import {
  changeBranch,
  changeHealthcheck,
  changeResources,
  changeScaling,
  renameAppEnv,
} from '../../services/app-env/setting-commands.ts'
import { changeVariables, deleteVariable, setVariables } from '../../services/app-env/variable-commands.ts'
import { commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { appEnvById, appEnvField, appliedFields } from './payload-fields.ts'
import { Variable } from './variable.ts'

const settingFields = (t: PayloadBuilder<SettingResult>) => ({
  success: t.boolean({ description: 'The change was accepted.', resolve: ({ result }) => result.success }),
  message: t.string({ description: 'The same in words.', resolve: ({ result }) => result.message }),
  appEnv: appEnvField(t),
  ...appliedFields(t as unknown as PayloadBuilder<Changed>),
})

for (const setting of [changeResources, changeScaling, changeBranch, changeHealthcheck, renameAppEnv]) {
  commandMutation(setting, {
    versioned: true,
    waits: true,
    payload: (t) => settingFields(t as unknown as PayloadBuilder<SettingResult>),
  })
}

for (const change of [setVariables, changeVariables, deleteVariable]) {
  commandMutation(change, {
    versioned: true,
    waits: true,
    payload: (t) => ({
      appEnv: appEnvById(t, false),
      variables: t.field({
        type: [Variable],
        description: 'All environment variables, as they are now.',
        resolve: ({ result }) => result.variables,
      }),
      ...appliedFields(t as unknown as PayloadBuilder<Changed>),
    }),
  })
}
