import { z } from 'zod'
import { containerSettings } from '../../app-types/container-settings.ts'
import { typeConfigInputs } from '../../app-types/type-config.ts'
import {
  appEnvTarget,
  flag,
  id,
  name,
  regionCode,
  releaseCommand,
  startupConfig,
  text,
  variables,
} from '../../calls/input.ts'
import { Z_CLOUD_SIZES } from '../../domain/resources.ts'
import { backupSchedule } from '../backup/backup-schedule.ts'
import { externalAccess } from '../external-access/external-access-input.ts'
import { appEnvHealthCheck } from '../health-check/health-check-input.ts'
import { labelChanges, labels } from '../label/label-input.ts'
import { diskOfAny, volume } from '../volume/volume-input.ts'
import { branch, containers, cpu, memory, zClouds } from './setting-input.ts'

const presetVersion = text(
  'Version of a managed service, `<PRESET>_<VERSION>`, as its database preset lists them. Default: that of the app, or of the preset.',
)

/** A new environment, of an app that its call names. */
const newAppEnvFields = {
  name: name('environment'),
  region: regionCode,
  branch: branch.optional(),
  zClouds: zClouds
    .describe(
      `CPU and memory of one container, in zClouds: ${Z_CLOUD_SIZES.join(', ')}. Default 1, unless cpu and memory are sent.`,
    )
    .optional(),
  cpu: cpu.optional(),
  memory: memory.optional(),
  containers: containers.default(1),
  envVars: variables.optional(),
  startupConfig: startupConfig.optional(),
  releaseCommand: releaseCommand.optional(),
  containerSettings: containerSettings.optional(),
  healthCheck: appEnvHealthCheck.optional(),
  preventDestroy: flag('Refuse to delete the environment.').default(false),
  volume: volume.optional(),
  dockerPresetVersion: presetVersion.optional(),
  disk: diskOfAny
    .describe('Size of the volume of a managed service in MB. Default: that of its database preset.')
    .optional(),
  withPersistence: flag(
    'Whether a managed service keeps its data in a volume. Default true; without one, every redeployment loses the data.',
  ).optional(),
  volumeId: id(
    'volume of a deleted environment of the same managed service and version. The new one takes over its data and credentials',
  ).optional(),
  externalAccess: externalAccess.nullable().optional(),
  labels: labels.optional(),
}

const DEPLOY = 'Deploy the image of the app, or a build of its repository, at once.'

export const createAppEnvInput = z.strictObject({
  accountId: id('account that owns the app').optional(),
  appId: id('app'),
  ...newAppEnvFields,
  ...typeConfigInputs(),
  deploy: flag(DEPLOY).default(false),
})

/** The first environment of a new app, which has the configuration of its type itself. */
export const firstAppEnv = z
  .strictObject({
    ...newAppEnvFields,
    deploy: flag(`${DEPLOY} Default: where it names one.`).optional(),
  })
  .describe('First environment of the app, created with it. Default: none.')

export const updateAppEnvInput = z.strictObject({
  ...appEnvTarget,
  name: name('environment').optional(),
  startupConfig: startupConfig.nullable().optional(),
  releaseCommand: releaseCommand.nullable().optional(),
  containerSettings: containerSettings.nullable().optional(),
  healthCheck: appEnvHealthCheck.nullable().optional(),
  envVars: variables.optional(),
  preventDestroy: flag('Refuse to delete the environment.').optional(),
  volume: volume.nullable().optional(),
  dockerPresetVersion: presetVersion.optional(),
  backupSchedule: backupSchedule.nullable().optional(),
  externalAccess: externalAccess.nullable().optional(),
  labels: labelChanges.optional(),
  allowUserCliToken: flag('Let user tokens act as this environment’s token in the CLI.').optional(),
  ...typeConfigInputs(),
  applyImmediately: flag('Whether to deploy the changes at once, instead of leaving them pending.').default(false),
})

export type FirstAppEnv = z.output<typeof firstAppEnv>
export type CreateAppEnvInput = z.output<typeof createAppEnvInput>
export type UpdateAppEnvInput = z.output<typeof updateAppEnvInput>
