import { z } from 'zod'
import { typeConfigInputs } from '../../app-types/type-config.ts'
import { presetNames, wireNames } from '../../app-types/wire-names.ts'
import {
  dockerfileContent,
  flag,
  headers,
  id,
  image,
  MAX_TEXT_LENGTH,
  name,
  ownerAccountId,
  pasted,
  portNumber,
  relativePath,
  text,
} from '../../calls/input.ts'
import { parseBuildArgs } from '../../domain/build-args.ts'
import { foreignTransport } from '../../domain/repository-address.ts'
import { namespaceProblem, repositoryProblem } from '../../domain/repository-name.ts'
import { firstAppEnv } from '../app-env/app-env-input.ts'
import { appHealthCheck } from '../health-check/health-check-input.ts'
import { labelChanges, labels } from '../label/label-input.ts'
import { buildResources } from '../plan/build-resources.ts'
import { volumePath } from '../volume/volume-input.ts'

const dockerPreset = z.enum(presetNames()).describe('Preset that says how the app is built and run.')
const credentialId = (about: string) => z.string().max(100).describe(about)

/** Of the service that older clients were written for. */
const OLDER_BUILDER = 'BUILDPACK'

const builder = z
  .enum(['DOCKER', 'NIXPACKS'], {
    error: ({ input }) =>
      input === OLDER_BUILDER
        ? 'must be one of DOCKER, NIXPACKS: there is no BUILDPACK. NIXPACKS finds out by itself how to build the source; DOCKER builds a Dockerfile, or a preset such as EXPRESS'
        : undefined,
  })
  .describe('Builder of the source.')

const checked = (schema: z.ZodString, problemOf: (value: string) => string | null) =>
  schema.superRefine((value, context) => {
    const message = problemOf(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

export const gitNamespace = checked(
  pasted().max(MAX_TEXT_LENGTH).describe('Git namespace or organization of the repository.'),
  namespaceProblem,
)
export const gitRepo = checked(
  pasted().max(MAX_TEXT_LENGTH).describe('Name of the git repository, or its https address.'),
  (given) => foreignTransport(given) ?? repositoryProblem(given),
)

const MAX_BUILD_ARGS_LENGTH = 16_384

const buildArgs = z
  .string()
  .max(MAX_BUILD_ARGS_LENGTH)
  .superRefine((given, context) => {
    const parsed = parseBuildArgs(given)
    if ('problem' in parsed) context.addIssue({ code: 'custom', message: parsed.problem })
  })
  .describe('Docker build arguments: `A=b C="d e"`, one a line, or a JSON object.')

/** As BuildKit has names of stages. It finds none by its number. */
const buildTarget = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .regex(
    /^(?:[A-Za-z][A-Za-z0-9_.-]*)?$/,
    'must be the name of a stage: letters, digits, dots, dashes and underscores, a letter first',
  )
  .describe('Stage of the Dockerfile to build. Default: the last one. Empty clears it.')

/** Fields that POST and PATCH /app share (§2.1, §4.2). */
const shared = {
  port: portNumber('Port that the app listens on. Required unless nothing listens.').optional(),
  dockerPreset: dockerPreset.optional(),
  dockerPresetVersion: text('Version of the preset, `<PRESET>_<VERSION>`.').optional(),
  useImage: flag('Deploy a prebuilt image instead of building from source.').optional(),
  image: image.optional(),
  builder: builder.optional(),
  buildArgs: buildArgs.optional(),
  buildTarget: buildTarget.optional(),
  contextDir: relativePath('Docker build context directory.').optional(),
  dockerfilePath: relativePath('Path of the Dockerfile. Not together with customDockerfileContent.').optional(),
  customDockerfileContent: dockerfileContent.optional(),
  healthCheckPath: z
    .string()
    .max(1000)
    .refine(
      (path) => path === '' || /^\/[\x21-\x7e]*$/.test(path),
      'must begin with / and hold no spaces; empty clears it',
    )
    .optional()
    .describe('Path that answers 2xx or 3xx when a container is ready. Empty: a TCP connect is enough.'),
  healthCheckPort: portNumber('Port of the health check. Default: the app’s port.').optional(),
  healthCheckHeaders: headers.optional(),
  healthCheck: appHealthCheck.nullable().optional(),
  buildResources: buildResources
    .nullable()
    .optional()
    .describe(
      'Limits of builds of the app, from the next one on. Null: the default of the account’s plan, else the installation’s setting.',
    ),
  useVolume: flag(
    'Whether every environment has a volume. False detaches the volumes, and keeps their data.',
  ).optional(),
  volumePath: volumePath.describe('Path at which every environment mounts its volume.').optional(),
  imagePullAccountSecretId: credentialId('Registry credential for pulling the image. Empty clears it.').optional(),
  buildPullAccountSecretId: credentialId(
    'Registry credential for pulling base images in builds. Empty clears it.',
  ).optional(),
}

const gitProvider = z.enum(['GITHUB']).describe('Git provider of the repository.')

export const gitInstallationId = pasted().max(MAX_TEXT_LENGTH).describe('Id of the git provider’s installation.')

export const createAppInput = z.strictObject({
  name: name('app'),
  accountId: ownerAccountId('Id of the account that will own the app.'),
  ...shared,
  ...typeConfigInputs(),
  appType: z.enum(wireNames()).optional().describe('Historical way to choose a type; dockerPreset decides.'),
  gitProvider: gitProvider.optional(),
  gitNamespace: gitNamespace.optional(),
  gitRepo: gitRepo.optional(),
  gitInstallationId: gitInstallationId.optional(),
  isCliDeployment: flag('The source is uploaded by the CLI.').optional(),
  labels: labels.optional(),
  appEnv: firstAppEnv.optional(),
})

export const updateAppInput = z.strictObject({
  appId: id('app'),
  ...shared,
  ...typeConfigInputs({ isChangeOfApp: true }),
  name: name('app').optional(),
  gitProvider: gitProvider.optional(),
  gitNamespace: gitNamespace.optional(),
  gitRepo: gitRepo.refine((given) => given !== '', 'must name a repository; set useImage to stop building').optional(),
  gitInstallationId: gitInstallationId.optional(),
  labels: labelChanges.optional(),
  applyImmediately: flag('Whether to deploy the changes at once, instead of leaving them pending.').default(false),
})

export type CreateAppInput = z.output<typeof createAppInput>
export type UpdateAppInput = z.output<typeof updateAppInput>
