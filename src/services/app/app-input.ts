import { z } from 'zod'
import { typeConfigInputs } from '../../app-types/type-config.ts'
import { presetNames, wireNames } from '../../app-types/wire-names.ts'
import { parseBuildArgs } from '../../domain/build-args.ts'
import { foreignTransport } from '../../domain/repository-address.ts'
import { dockerfileContent, flag, headers, id, image, name, portNumber, relativePath, text } from '../kernel/input.ts'

const dockerPreset = z.enum(presetNames()).describe('Preset that says how the app is built and run.')
const credentialId = (about: string) => z.string().max(100).describe(about)

const MAX_BUILD_ARGS_LENGTH = 16_384

const buildArgs = z
  .string()
  .max(MAX_BUILD_ARGS_LENGTH)
  .superRefine((given, context) => {
    const parsed = parseBuildArgs(given)
    if ('problem' in parsed) context.addIssue({ code: 'custom', message: parsed.problem })
  })
  .describe('Docker build arguments: `A=b C="d e"`, one a line, or a JSON object.')

const gitRepo = text('Name of the git repository.').superRefine((given, context) => {
  const foreign = foreignTransport(given)
  if (foreign) context.addIssue({ code: 'custom', message: foreign })
})

/** Fields that POST and PATCH /app share (§2.1, §4.2). */
const shared = {
  port: portNumber('Port that the app listens on. Required unless nothing listens.').optional(),
  dockerPreset: dockerPreset.optional(),
  useImage: flag('Deploy a prebuilt image instead of building from source.').optional(),
  image: image.optional(),
  builder: z.enum(['DOCKER', 'NIXPACKS']).optional().describe('What builds the source.'),
  buildArgs: buildArgs.optional(),
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
  imagePullAccountSecretId: credentialId('Registry credential for pulling the image. Empty clears it.').optional(),
  buildPullAccountSecretId: credentialId(
    'Registry credential for pulling base images in builds. Empty clears it.',
  ).optional(),
}

export const createAppInput = z.strictObject({
  name: name('app'),
  accountId: id('account that will own the app'),
  ...shared,
  ...typeConfigInputs(),
  appType: z.enum(wireNames()).optional().describe('Historical way to choose a type; dockerPreset decides.'),
  dockerPresetVersion: text('Version of the preset, `<PRESET>_<VERSION>`.').optional(),
  gitProvider: z.enum(['GITHUB']).optional().describe('Git provider of the repository.'),
  gitNamespace: text('Git namespace or organization of the repository.').optional(),
  gitRepo: gitRepo.optional(),
  gitInstallationId: text('Id of the git provider’s installation.').optional(),
  isCliDeployment: flag('The source is uploaded by the CLI.').optional(),
})

export const updateAppInput = z.strictObject({
  appId: id('app'),
  ...shared,
  ...typeConfigInputs({ isChangeOfApp: true }),
  applyImmediately: flag('Whether to deploy the changes at once, instead of leaving them pending.').default(false),
})

export type CreateAppInput = z.output<typeof createAppInput>
export type UpdateAppInput = z.output<typeof updateAppInput>
