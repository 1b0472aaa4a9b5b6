import type { Changed, SettingResult } from '../../../services/app-env/change-setting.ts'
import {
  changeBranch,
  changeHealthcheck,
  changeResources,
  changeScaling,
  renameAppEnv,
} from '../../../services/app-env/setting-commands.ts'
import { changedSetting, changedVariables } from '../../../services/app-env/setting-fields.ts'
import { changeVariables, deleteVariable, setVariables } from '../../../services/app-env/variable-commands.ts'
import { commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { appEnvById, appEnvField, operationField, outcomeFields } from './payload-fields.ts'

for (const setting of [changeResources, changeScaling, changeBranch, changeHealthcheck, renameAppEnv]) {
  commandMutation(setting, (t) => ({
    ...outcomeFields(t, changedSetting),
    appEnv: appEnvField(t as unknown as PayloadBuilder<SettingResult>),
    operation: operationField(t as unknown as PayloadBuilder<SettingResult>),
  }))
}

for (const change of [setVariables, changeVariables, deleteVariable]) {
  commandMutation(change, (t) => ({
    appEnv: appEnvById(t, false),
    ...outcomeFields(t, changedVariables),
    operation: operationField(t as unknown as PayloadBuilder<Changed>),
  }))
}
