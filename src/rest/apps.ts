import { z } from 'zod'
import type { Config } from '../config.ts'
import type { App } from '../database/generated/prisma/client.ts'
import type { AppSummary } from '../services/app/read-apps.ts'
import type { Caller } from '../services/caller.ts'
import { id } from '../services/input.ts'
import { listAnswer, listOf } from './lists.ts'
import { paging } from './query.ts'
import { read, Versioned } from './route.ts'

const timestamp = (about: string) => z.iso.datetime().describe(about)

const identity = {
  appId: z.string().describe('App id.'),
  name: z.string().describe('App name.'),
  slug: z.string().describe('App slug: its part of host names.'),
  gitProvider: z.string().nullable().describe('Git provider, for example GITHUB.'),
  gitNamespace: z.string().nullable().describe('Git namespace or organization.'),
  gitRepo: z.string().nullable().describe('Repository name.'),
}

/** §2.2. */
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
  useTCP: false,
  useImage: app.useImage,
  port: app.port,
  builder: app.builder,
  isCliDeployment: app.isCliDeployment,
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
