import { z } from 'zod'
import { functionConfig } from '../../app-types/function.ts'
import { jobConfig } from '../../app-types/job.ts'
import { Z_CLOUD_SIZES } from '../../domain/resources.ts'
import { appEnvTarget, flag, id, name, startupConfig, text, variables } from '../input.ts'

const sizes = Z_CLOUD_SIZES.join(', ')

export const createAppEnvInput = z.strictObject({
  accountId: id('account that owns the app'),
  appId: id('app'),
  name: name('environment'),
  region: z.string().min(1).max(100).describe('Region it runs in; see GET /regions.'),
  branch: text('Git branch. Required when the app builds from GitHub.').optional(),
  zClouds: z
    .number()
    .refine((size) => (Z_CLOUD_SIZES as readonly number[]).includes(size), `must be one of ${sizes}`)
    .default(1)
    .describe(`CPU and memory of one container, in zClouds: ${sizes}.`),
  containers: z.number().int().min(1).default(1).describe('Number of containers.'),
  envVars: variables.optional(),
  startupConfig: startupConfig.optional(),
  preventDestroy: flag('Refuse to delete the environment.').default(false),
  jobConfig: jobConfig.optional(),
  functionConfig: functionConfig.optional(),
})

export const updateAppEnvInput = z.strictObject({
  ...appEnvTarget,
  name: name('environment').optional(),
  startupConfig: startupConfig.nullable().optional(),
  envVars: variables.optional(),
  preventDestroy: flag('Refuse to delete the environment.').optional(),
  allowUserCliToken: flag('Let user tokens act as this environment’s token in the CLI.').optional(),
  jobConfig: jobConfig.optional(),
  functionConfig: functionConfig.optional(),
  applyImmediately: flag('Deploy the changes at once, instead of leaving them pending.').default(false),
})

export type CreateAppEnvInput = z.output<typeof createAppEnvInput>
export type UpdateAppEnvInput = z.output<typeof updateAppEnvInput>
