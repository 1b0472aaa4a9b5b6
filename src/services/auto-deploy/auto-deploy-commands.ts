import { z } from 'zod'
import { permit, userOf } from '../../calls/caller.ts'
import { type CommandContext, command } from '../../calls/command.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { isPathPattern } from '../../domain/watched-paths.ts'
import { repositoryUrl } from '../configuration/build-plan.ts'
import { type LoadedAppEnv, lockAppEnv, requireNoPullRequest } from '../targets/load-app-env.ts'
import { autoDeploy } from './auto-deploy-fields.ts'

const MAX_PATTERNS = 50
const MAX_PATTERN_LENGTH = 200

const pattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN_LENGTH)
  .refine(isPathPattern, 'must be a pattern of paths, such as src/** or !docs')

export const setAutoDeploy = command({
  name: 'setAutoDeploy',
  rest: { method: 'PUT', path: '/app-env/auto-deploy', answer: autoDeploy.answer },
  versioned: true,
  about:
    'Let pushes to the branch of an environment build and deploy it, with your rights: when you lose them, pushes are ignored. Pushes arrive through a git hook, or through the GitHub App.',
  example: { request: { watchPaths: ['src/**', '!**/*.md'] } },
  input: z.strictObject({
    ...appEnvTarget,
    watchPaths: z
      .array(pattern)
      .max(MAX_PATTERNS)
      .default([])
      .describe(
        'Patterns of paths, such as services/api or src/**/*.ts; a push deploys if it changes a matching path. Later patterns override earlier ones, and a pattern that begins with ! excludes paths. Empty: every push deploys.',
      ),
  }),
  permission: 'appEnv:change',
  target: ({ tx }, address) => lockAppEnv(tx, address),
  async execute(context, { watchPaths }, { appEnv }) {
    const { tx, caller, config } = context
    // What is lent must be there.
    permit(caller, 'appEnv:operate', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    if (appEnv.app.useImage || appEnv.app.isCliDeployment || !repositoryUrl(appEnv.app, config))
      throw conflict('NO_REPOSITORY', 'The app is not built from a git repository: set gitRepo on it first')
    requireNoPullRequest(appEnv)
    const set = { userId: userOf(caller), watchPaths }
    const row = await tx.autoDeploy.upsert({
      where: { appEnvId: appEnv.id },
      create: { appEnvId: appEnv.id, ...set },
      update: set,
    })
    const version = await changed(context, appEnv, { autoDeploy: true, ...set })
    return { ...autoDeploy.answer.record(row), recordVersion: version }
  },
})

export const deleteAutoDeploy = command({
  name: 'deleteAutoDeploy',
  rest: { method: 'DELETE', path: '/app-env/auto-deploy', answer: messageAnswer },
  versioned: true,
  about: 'Turn auto-deploy off: pushes no longer deploy the environment. A deployment that is under way continues.',
  example: { answer: { message: 'Pushes do not deploy "default-shop-production" any more' } },
  input: z.strictObject(appEnvTarget),
  permission: 'appEnv:change',
  target: ({ tx }, address) => lockAppEnv(tx, address),
  async execute(context, _input, { appEnv }) {
    const { count } = await context.tx.autoDeploy.deleteMany({ where: { appEnvId: appEnv.id } })
    if (count === 0) throw notFound('auto-deploy of the app environment', appEnv.id)
    await changed(context, appEnv, { autoDeploy: false })
    return { message: `Pushes do not deploy "${appEnv.cliEnvName}" any more` }
  },
})

/** Returns the new version of the environment, whose setting it is. */
async function changed(
  { tx, announce, auditDetails }: CommandContext,
  { id: appEnvId, appId }: LoadedAppEnv,
  details: Record<string, unknown>,
): Promise<number> {
  const { version } = await tx.appEnv.update({
    where: { id: appEnvId },
    data: { version: { increment: 1 } },
    select: { version: true },
  })
  announce({ type: 'appEnv.updated', appId, appEnvId, payload: { changed: ['autoDeploy'] } })
  auditDetails(details)
  return version
}
