import { getAppType } from '../../app-types/app-types.ts'
import { engineOf } from '../../app-types/behaviours.ts'
import { dataProblem } from '../../app-types/engines/upgrades.ts'
import { typeConfigIn } from '../../app-types/type-config.ts'
import { command } from '../../calls/command.ts'
import type { ContainerSettings } from '../../domain/container-settings.ts'
import { conflict } from '../../domain/errors.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import { scheduleChange } from '../backup/schedule-change.ts'
import { changeExternalAccess } from '../external-access/change-external-access.ts'
import { requireFitting, setValues } from '../health-check/app-env-health-check.ts'
import { followHealthCheck } from '../health-check/follow-health-check.ts'
import { changeAppEnvLabels } from '../label/change-labels.ts'
import { type LoadedAppEnv, lockAppEnv, withEverything } from '../targets/load-app-env.ts'
import { volumeChange } from '../volume/volume-change.ts'
import { requireSeparatePaths } from '../volume/volume-input.ts'
import { type UpdateAppEnvInput, updateAppEnvInput } from './app-env-input.ts'
import { appEnvRecord } from './app-env-record.ts'
import { changeSettings, requireSettingWithinPlan, withApplication } from './change-setting.ts'
import { requireFreeName } from './setting-commands.ts'
import { updatedAppEnvAnswer } from './setting-fields.ts'
import { checkTypeFields } from './type-config.ts'
import { replaceVariables } from './variables.ts'

export const updateAppEnv = command({
  name: 'updateAppEnv',
  rest: { method: 'PUT', path: '/app-env', answer: updatedAppEnvAnswer },
  versioned: true,
  waits: true,
  about: 'Change an environment. What its containers read stays as it is until the changes are applied.',
  example: { request: { startupConfig: { command: 'npm run start' }, preventDestroy: true } },
  input: updateAppEnvInput,
  permission: 'appEnv:change',
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    const { tx } = context
    checkTypeFields(getAppType(appEnv.app.type), appEnv.app, input, appEnv.presetVersion)
    if (input.healthCheck) requireFitting(appEnv.app, setValues(input.healthCheck), 'healthCheck.')
    const typeConfig = typeConfigIn(input)
    if (typeConfig) requireSettingWithinPlan(appEnv, { typeConfig })
    checkPresetVersion(appEnv, input.dockerPresetVersion)
    const { containerSettings = appEnv.containerSettings as ContainerSettings | null } = input
    requireSeparatePaths(containerSettings, input.volume === undefined ? appEnv.volume?.path : input.volume?.path)
    if (input.name !== undefined) await requireFreeName(context, appEnv, input.name)
    if (input.envVars) await replaceVariables(context, appEnv, input.envVars)
    await changeAppEnvLabels(tx, appEnv, input.labels)
    await changeExternalAccess(context, appEnv, input.externalAccess)
    const data = {
      ...changesOf(input),
      ...(await scheduleChange(context, appEnv, input.backupSchedule)),
      ...(await volumeChange(context, appEnv, input.volume)),
    }
    const { appEnvId: _id, envName: _name, applyImmediately, ...sent } = input
    if (input.healthCheck !== undefined)
      await followHealthCheck(context, [{ ...appEnv, healthCheck: (input.healthCheck ?? null) as object | null }])
    context.auditDetails({ variables: input.envVars?.map((variable) => variable.name) })
    const changed = await changeSettings(context, appEnv, { data, changed: Object.keys(sent), applyImmediately })
    const { appEnv: present } = await lockAppEnv(tx, { appEnvId: appEnv.id })
    return { ...(await appEnvRecord(context, present)), ...changed }
  },
  async refresh({ database, vault, config }, answered, [outcome]) {
    const result = withApplication(answered, outcome)
    const present = await database.appEnv.findUnique({ where: { id: result.appEnvId }, include: withEverything })
    if (!present) return result
    return { ...result, ...(await appEnvRecord({ tx: database, vault, config }, present)), version: present.version }
  },
})

function changesOf(input: UpdateAppEnvInput): Prisma.AppEnvUncheckedUpdateInput {
  const changes: Prisma.AppEnvUncheckedUpdateInput = {}
  if (input.name !== undefined) changes.name = input.name
  if (input.startupConfig !== undefined) changes.startupConfig = jsonOrNull(input.startupConfig)
  if (input.releaseCommand !== undefined) changes.releaseCommand = jsonOrNull(input.releaseCommand)
  if (input.containerSettings !== undefined) changes.containerSettings = jsonOrNull(input.containerSettings)
  if (input.healthCheck !== undefined)
    changes.healthCheck = jsonOrNull(input.healthCheck && setValues(input.healthCheck))
  if (input.preventDestroy !== undefined) changes.preventDestroy = input.preventDestroy
  if (input.allowUserCliToken !== undefined) changes.allowUserCliToken = input.allowUserCliToken
  if (input.dockerPresetVersion !== undefined) changes.presetVersion = input.dockerPresetVersion
  const typeConfig = typeConfigIn(input)
  if (typeConfig) changes.typeConfig = typeConfig as object
  return changes
}

/** Throws when the data of a managed service cannot be used by the version. */
function checkPresetVersion({ app, volume, presetVersion }: LoadedAppEnv, wanted: string | null | undefined): void {
  const problem = dataProblem(engineOf(app, presetVersion), volume?.presetVersion, wanted)
  if (problem !== null) throw conflict('UPGRADE_NOT_IN_PLACE', problem)
}
