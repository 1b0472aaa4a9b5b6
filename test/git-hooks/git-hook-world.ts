import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { setAutoDeploy } from '../../src/services/auto-deploy/auto-deploy-commands.ts'
import { createGitHook } from '../../src/services/git-hook/git-hook-commands.ts'
import { type Provider, type Pushed, payloadOf, type Sent, sentBy } from '../support/git-hosts.ts'
import { serveRest } from '../support/rest.ts'
import { createWorld } from '../support/world.ts'

export interface Hook {
  gitHookId: string
  path: string
  secret: string
  provider: Provider
}

interface Built {
  gitRepo?: string
  branch?: string
  /** Null: pushes deploy nothing. */
  watchPaths?: string[] | null
  /** The token of whoever turns auto-deploy on. */
  as?: string
  accountId?: string
  app?: Record<string, unknown>
}

let made = 0
const next = () => {
  made += 1
  return made
}

export type GitHookWorld = Awaited<ReturnType<typeof createGitHookWorld>>

/** An installation to which git hosts send; nothing builds, so what was begun stays begun. */
export async function createGitHookWorld(settings: Record<string, string> = {}) {
  const world = await createWorld({ settings: { BERTH_ACCOUNT_GIT_HOOKS: '500', ...settings } })
  const { api } = serveRest(world)
  const { database, perform } = world

  async function send(path: string, { headers, body }: Sent) {
    const response = await api.request(path, { method: 'POST', headers, body })
    return { status: response.status, body: await response.json() }
  }

  return {
    ...world,
    send,
    /** A repository that nobody else uses. */
    repository: () => `https://git.example.com/acme/shop-${next()}`,
    async hook(provider: Provider, fields: Record<string, unknown> = {}): Promise<Hook> {
      const input = { accountId: world.accountId, provider, name: 'Hook', ...fields }
      const { gitHookId, path, secret } = await perform(createGitHook, input)
      return { gitHookId, path, secret, provider }
    },
    /** An environment that is built from a repository, and that pushes deploy unless `watchPaths` is null. */
    async built({
      branch = 'main',
      watchPaths = [],
      as,
      accountId = world.accountId,
      ...fields
    }: Built): Promise<string> {
      const app = {
        name: `built ${next()}`,
        accountId,
        port: 3000,
        gitRepo: fields.gitRepo,
        ...fields.app,
      }
      const { appId } = await perform(createApp, app)
      const input = { accountId, appId, name: 'production', region: 'local', branch }
      const { appEnvId } = await perform(createAppEnv, input)
      if (watchPaths) await perform(setAutoDeploy, { appEnvId, watchPaths }, as ? { as } : {})
      return appEnvId
    },
    /** Has the git host of a hook tell of a push. */
    push: (hook: Hook, pushed: Pushed, way: Parameters<typeof sentBy>[3] = {}) =>
      send(hook.path, sentBy(hook.provider, hook.secret, payloadOf(hook.provider, pushed), way)),
    /** Commits of the versions of an environment, oldest first. */
    async commitsOf(appEnvId: string) {
      const versions = await database.content.findMany({ where: { appEnvId }, orderBy: { version: 'asc' } })
      return versions.map(({ gitCommitId }) => gitCommitId)
    },
    /** The newest entry of an account's log. */
    newest: (accountId = world.accountId) =>
      database.gitDelivery.findFirstOrThrow({ where: { accountId }, orderBy: { id: 'desc' } }),
  }
}
