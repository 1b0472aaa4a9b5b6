import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { setPullRequestEnvs } from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import { sentBy } from '../support/git-hosts.ts'
import { type Happened, PULL_REQUEST_EVENTS, pullRequestPayloadOf } from '../support/git-pull-requests.ts'
import { createGitHookWorld, type Hook } from './git-hook-world.ts'

interface Previewed {
  url: string
  /** Of the base environment. */
  base?: Record<string, unknown>
  app?: Record<string, unknown>
  /** Null: pull requests get nothing. */
  settings?: Record<string, unknown> | null
  as?: string
  accountId?: string
}

export type PullRequestWorld = Awaited<ReturnType<typeof createPullRequestWorld>>

/** An installation to which git hosts tell of pull requests; nothing builds, so what was begun stays begun. */
export async function createPullRequestWorld(settings: Record<string, string> = {}) {
  const world = await createGitHookWorld(settings)
  const { database, perform } = world
  let made = 0
  return {
    ...world,
    /** An app with an environment, and environments for its pull requests. */
    async previewed({ url, base = {}, settings = {}, as, accountId = world.accountId, ...fields }: Previewed) {
      made += 1
      const app = { name: `previewed ${made}`, accountId, port: 3000, gitRepo: `${url}.git`, ...fields.app }
      const { appId } = await perform(createApp, app)
      const input = { accountId, appId, name: 'production', region: 'local', branch: 'main', ...base }
      const { appEnvId: baseAppEnvId } = await perform(createAppEnv, input)
      if (settings) await perform(setPullRequestEnvs, { appId, baseAppEnvId, ...settings }, as ? { as } : {})
      return { appId, baseAppEnvId }
    },
    /** Has the git host of a hook tell of it; answers what came of it. */
    async tell(hook: Hook, happened: Happened, way: Parameters<typeof sentBy>[3] = {}) {
      const payload = pullRequestPayloadOf(hook.provider, happened)
      const event = { event: PULL_REQUEST_EVENTS[hook.provider], ...way }
      const { status, body } = await world.send(hook.path, sentBy(hook.provider, hook.secret, payload, event))
      return { status, ...body.deliveries?.[0] }
    },
    /** The environments of pull requests of an app that are there, oldest first. */
    envsOf: (appId: string) =>
      database.appEnv.findMany({
        where: { appId, deletedAt: null, NOT: { name: 'production' } },
        include: { hosts: true, variables: { orderBy: { name: 'asc' } }, volume: true },
        orderBy: { id: 'asc' },
      }),
  }
}
