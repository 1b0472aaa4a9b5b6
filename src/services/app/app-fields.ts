import { z } from 'zod'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, VERSION, whole } from '../../calls/field.ts'
import { warning } from '../../calls/outcome.ts'
import { answer, pick, resource } from '../../calls/resource.ts'
import type { App } from '../../storage/database/generated/prisma/client.ts'
import { appType, typeConfigFields, useTCP } from '../app-type/app-type-fields.ts'
import { healthCheckOfApp } from '../health-check/health-check-fields.ts'
import { labelsField } from '../label/label-fields.ts'
import { buildResourcesOfApp } from '../plan/build-resources-fields.ts'

const field = fieldsOf<App>()
const text_ = text.nullable()
const number = z.number()

const fields = {
  appId: field.column('id', text, 'Id of the app.', { inGraphQL: { name: 'id' } }),
  name: field.column('name', text, 'Name of the app.'),
  slug: field.column('slug', text, 'Slug of the app: its part of host names and CLI names.'),
  gitProvider: field.column('gitProvider', text_, 'Git provider of the repository, for example GITHUB.'),
  gitNamespace: field.column('gitNamespace', text_, 'Git namespace or organization of the repository.'),
  gitRepo: field.column('gitRepo', text_, 'Name of the git repository.'),
  gitInstallationId: field.column('gitInstallationId', text_, 'Id of the git provider’s installation.'),
  dockerPreset: field.column('dockerPreset', text, 'Preset that says how the app is built and run.', {
    inGraphQL: { type: 'DockerPreset' },
  }),
  contextDir: field.column('contextDir', text, 'Build context directory of the app.'),
  customDockerfileContentInUse: field.from(
    { customDockerfileContent: true },
    flag,
    'Whether an inline Dockerfile is used.',
    (app: App) => app.customDockerfileContent !== null,
  ),
  dockerfilePath: field.column('dockerfilePath', text_, 'Path of the Dockerfile in the source.'),
  // Certificates are the business of whatever stands in front of the ingress.
  useSSL: field.from(
    {},
    flag,
    'Whether clients reach the app by https.',
    (_app: object, { config }) => config.BERTH_INGRESS_URL?.startsWith('https:') ?? false,
  ),
  useTCP,
  useImage: field.column('useImage', flag, 'Whether the app runs a prebuilt image.'),
  port: field.column('port', number.nullable(), 'Port that the app listens on; null when nothing listens.', {
    inGraphQL: { type: 'Int' },
  }),
  builder: field.column('builder', text, 'Builder of the source, for example DOCKER.', {
    inGraphQL: { type: 'Builder' },
  }),
  isCliDeployment: field.column('isCliDeployment', flag, 'Whether the CLI uploads the source.'),
  accountId: field.column('accountId', text, 'Id of the account that owns the app.', { only: 'rest' }),
  appType,
  dockerPresetVersion: field.column('dockerPresetVersion', text_, 'Version of the preset.'),
  image: field.column('image', text_, 'Prebuilt image, as set on the app.'),
  buildArgs: field.column('buildArgs', text_, 'Docker build arguments of the app.'),
  buildTarget: field.column(
    'buildTarget',
    text_,
    'Stage of the Dockerfile of the source that is built; null for the last one. Presets have stages of their own.',
  ),
  customDockerfileContent: field.column('customDockerfileContent', text_, 'Content of the inline Dockerfile.'),
  healthCheckPath: field.column('healthCheckPath', text_, 'Path of the health check; null for a TCP connect.'),
  healthCheckPort: field.column(
    'healthCheckPort',
    number.nullable(),
    'Port of the health check; null for the port of the app.',
    { inGraphQL: { type: 'Int' } },
  ),
  healthCheckHeaders: field.json(
    'healthCheckHeaders',
    z.record(z.string(), z.string()).nullable(),
    'Headers of the health check request.',
  ),
  healthCheck: healthCheckOfApp,
  imagePullAccountSecretId: field.column(
    'imagePullAccountSecretId',
    text_,
    'Id of the credential that the image is pulled with.',
  ),
  buildPullAccountSecretId: field.column(
    'buildPullAccountSecretId',
    text_,
    'Id of the credential that builds pull base images with.',
  ),
  ...buildResourcesOfApp,
  useVolume: field.from(
    { volumePath: true },
    flag,
    'Whether the app gives every environment a volume. Environments can also have volumes of their own.',
    ({ volumePath }: Pick<App, 'volumePath'>) => volumePath !== null,
  ),
  volumePath: field.column('volumePath', text_, 'Path at which the app’s environments mount their volumes.'),
  ...typeConfigFields,
  labels: labelsField('app'),
}

const times = {
  createdAt: field.column('createdAt', time, 'Time at which the app was created.'),
  updatedAt: field.column('updatedAt', time, 'Time at which the app was last changed.'),
}

/** §2.2, then what else can be set: every value that can be set can be read. */
export const app = resource({
  name: 'App',
  id: 'App',
  description: 'A program that an account owns and runs in environments.',
  examples: {
    appId: exampleId('app'),
    name: 'Shop',
    slug: 'shop',
    gitProvider: null,
    gitNamespace: null,
    gitRepo: null,
    gitInstallationId: null,
    dockerPreset: 'CUSTOM',
    contextDir: '.',
    customDockerfileContentInUse: false,
    dockerfilePath: null,
    useSSL: false,
    useTCP: false,
    useImage: true,
    builder: 'DOCKER',
    isCliDeployment: false,
    image: 'nginx:alpine',
    buildArgs: null,
    buildTarget: null,
    customDockerfileContent: null,
    healthCheckPath: '/healthz',
    healthCheckPort: null,
    healthCheckHeaders: null,
    healthCheck: {
      type: 'HTTP',
      path: '/healthz',
      port: null,
      headers: null,
      command: null,
      initialDelaySeconds: null,
      periodSeconds: null,
      timeoutSeconds: null,
      failureThreshold: null,
    },
    imagePullAccountSecretId: null,
    buildPullAccountSecretId: null,
    buildLimits: { cpu: 4, memoryMb: 2048, diskMb: 10_240, timeoutSeconds: 1200 },
    volumePath: null,
    labels: { team: 'checkout' },
  },
  fields,
  graphqlFields: { version: field.column('version', whole, VERSION), ...times },
  relations: {
    account: { description: 'Account that owns the app.' },
    appEnvs: { description: 'Environments of the app, newest first.' },
  },
})

/** §2.3. */
export const appListItem = answer(
  {
    ...pick(fields, 'appId', 'name', 'slug', 'gitProvider', 'gitNamespace', 'gitRepo', 'dockerPreset'),
    template: field.from({}, text.optional(), 'Template that the app was created from.', () => undefined, {
      only: 'rest',
    }),
    ...times,
    isCurrent: field.from(
      { accountId: true },
      flag,
      'Whether your current account owns the app.',
      ({ accountId }: Pick<App, 'accountId'>, { caller }) => accountId === caller.currentAccountId,
      { only: 'rest' },
    ),
  },
  { id: 'AppListItem', description: 'An app, as lists show it.' },
)

interface AppOutcome {
  environmentsAffected: number
  notApplied: { appEnvId: string; reason: string }[] | undefined
}

const outcome = fieldsOf<AppOutcome>()
const left = fieldsOf<{ appEnvId: string; reason: string }>()

const notApplied = resource({
  name: 'NotApplied',
  description: 'An environment whose pending changes were not applied.',
  fields: {
    appEnvId: left.given('appEnvId', text, 'Id of the environment.'),
    reason: left.given('reason', text, 'Why the changes were not applied.'),
  },
})

export const updatedApp = {
  ...pick(app.fields, 'appId', 'name', 'dockerPreset', 'port'),
  environmentsAffected: outcome.given(
    'environmentsAffected',
    whole,
    'Number of environments that the change is pending for, or is being applied to.',
  ),
  notApplied: outcome.given(
    'notApplied',
    z.array(notApplied.answer.type).optional(),
    'Environments that the change was not applied to, although applyImmediately was set.',
    { inGraphQL: { nullable: false, whenAbsent: [] } },
  ),
  warning,
}

const created = fieldsOf<{ appEnvId: string | undefined }>()

export const createdAppAnswer = answer({
  ...pick(app.fields, 'appId'),
  appEnvId: created.given('appEnvId', text.optional(), 'Id of its first environment, where one was sent.'),
})

export const updatedAppAnswer = answer(updatedApp)
