import { z } from 'zod'
import { usesTcp } from '../../app-types/behaviours.ts'
import { shownTypeConfig, typeConfigAnswers } from '../../app-types/type-config.ts'
import { wireNameOf, wireNames } from '../../app-types/wire-names.ts'
import type { Config } from '../../config/config.ts'
import type { App } from '../../database/generated/prisma/client.ts'
import type { AppSummary } from '../../services/app/app-queries.ts'
import type { Caller } from '../../services/kernel/caller.ts'
import { id } from '../../services/kernel/input.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read, Versioned } from '../protocol/route.ts'

const timestamp = (about: string) => z.iso.datetime().describe(about)

const identity = {
  appId: z.string().describe('App id.'),
  name: z.string().describe('App name.'),
  slug: z.string().describe('App slug: its part of host names.'),
  gitProvider: z.string().nullable().describe('Git provider, for example GITHUB.'),
  gitNamespace: z.string().nullable().describe('Git namespace or organization.'),
  gitRepo: z.string().nullable().describe('Repository name.'),
}

const text = (about: string) => z.string().nullable().describe(about)

/** What POST and PATCH /app take and §2.2 does not show: whoever sets a thing can read it. */
const settings = {
  accountId: z.string().describe('Account that owns it.'),
  appType: z.enum(wireNames()).describe('What kind of program it is.'),
  dockerPresetVersion: text('Version of the preset.'),
  image: text('The prebuilt image, as set on the app.'),
  buildArgs: text('Docker build arguments.'),
  customDockerfileContent: text('The inline Dockerfile.'),
  healthCheckPath: text('Path of the health check; null: a TCP connect.'),
  healthCheckPort: z.number().nullable().describe('Port of the health check; null: the app’s port.'),
  healthCheckHeaders: z.record(z.string(), z.string()).nullable().describe('Headers of the health check request.'),
  imagePullAccountSecretId: text('Credential that the image is pulled with.'),
  buildPullAccountSecretId: text('Credential that base images are pulled with in builds.'),
  ...typeConfigAnswers(),
}

/** §2.2, and behind it what else can be set. */
const appAnswer = z
  .object({
    ...identity,
    gitInstallationId: z.string().nullable().describe('Git installation id.'),
    dockerPreset: z.string().describe('Docker preset.'),
    contextDir: z.string().describe('Build context directory.'),
    customDockerfileContentInUse: z.boolean().describe('Whether custom Dockerfile content is used.'),
    dockerfilePath: z.string().nullable().describe('Dockerfile path.'),
    useSSL: z.boolean().describe('Whether the app is reached by https.'),
    useTCP: z.boolean().describe('Whether the app is reached by plain TCP.'),
    useImage: z.boolean().describe('Whether a prebuilt image is used.'),
    port: z.number().nullable().describe('Listening port.'),
    builder: z.string().describe('Builder, for example DOCKER.'),
    isCliDeployment: z.boolean().describe('CLI deployment flag.'),
    ...settings,
  })
  .meta({ id: 'App', description: 'An app.' })

/** §2.3. */
const appItem = z
  .object({
    ...identity,
    dockerPreset: z.string().describe('Preset in use.'),
    template: z.string().optional().describe('Template used.'),
    createdAt: timestamp('Creation time.'),
    updatedAt: timestamp('Last update time.'),
    isCurrent: z.boolean().describe('True when the app belongs to your currently selected account.'),
  })
  .meta({ id: 'AppListItem', description: 'An app, in a list.' })

export const createdApp = z.object({ appId: identity.appId })

export const updatedApp = z.object({
  appId: identity.appId,
  name: identity.name,
  dockerPreset: z.string().describe('Docker preset.'),
  port: z.number().nullable().describe('Listening port.'),
  environmentsAffected: z.int().describe('Environments for which the change is pending, or is being applied.'),
  notApplied: z
    .array(
      z.object({
        appEnvId: z.string().describe('Environment.'),
        reason: z.string().describe('Why it was left alone.'),
      }),
    )
    .optional()
    .describe('Environments that applyImmediately asked for and that were left alone.'),
})

export const getApp = read({
  name: 'getApp',
  about: 'An app.',
  query: z.strictObject({ appId: id('app') }),
  answer: appAnswer,
  isSingle: true,
  async run({ services, caller, config }, { appId }) {
    const app = await services.apps.get(caller, appId)
    return new Versioned(appRecord(app, config), app.version)
  },
})

export const listApps = read({
  name: 'listApps',
  about: 'The apps of an account; of your current one when accountId is omitted.',
  query: z.strictObject({ accountId: id('account').optional(), ...paging }),
  answer: listAnswer('apps', appItem),
  async run({ services, caller }, { accountId, ...slice }) {
    const apps = await services.apps.list(caller, accountId, slice)
    return listOf('apps', apps, (app) => appListItem(app, caller))
  },
})

const appRecord = (app: App, config: Config): z.output<typeof appAnswer> => ({
  ...identityOf(app),
  gitInstallationId: app.gitInstallationId,
  dockerPreset: app.dockerPreset,
  contextDir: app.contextDir,
  customDockerfileContentInUse: app.customDockerfileContent !== null,
  dockerfilePath: app.dockerfilePath,
  // Certificates are the business of whatever stands in front of the ingress.
  useSSL: config.BERTH_INGRESS_URL?.startsWith('https:') ?? false,
  useTCP: usesTcp(app),
  useImage: app.useImage,
  port: app.port,
  builder: app.builder,
  isCliDeployment: app.isCliDeployment,
  ...settingsOf(app),
})

const settingsOf = (app: App) => ({
  accountId: app.accountId,
  appType: wireNameOf(app),
  dockerPresetVersion: app.dockerPresetVersion,
  image: app.image,
  buildArgs: app.buildArgs,
  customDockerfileContent: app.customDockerfileContent,
  healthCheckPath: app.healthCheckPath,
  healthCheckPort: app.healthCheckPort,
  healthCheckHeaders: app.healthCheckHeaders as Record<string, string> | null,
  imagePullAccountSecretId: app.imagePullAccountSecretId,
  buildPullAccountSecretId: app.buildPullAccountSecretId,
  ...shownTypeConfig(app.typeConfig),
})

const appListItem = (app: AppSummary, caller: Caller): z.output<typeof appItem> => ({
  ...identityOf(app),
  dockerPreset: app.dockerPreset,
  createdAt: app.createdAt,
  updatedAt: app.updatedAt,
  isCurrent: app.accountId === caller.currentAccountId,
})

const identityOf = (app: App | AppSummary) => ({
  appId: app.id,
  name: app.name,
  slug: app.slug,
  gitProvider: app.gitProvider,
  gitNamespace: app.gitNamespace,
  gitRepo: app.gitRepo,
})
