import { type Caller, permit } from '../../calls/caller.ts'
import { id } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { pullRequestEnvs } from '../app-env/pull-request-envs-fields.ts'

/** With the version of the app, whose setting it is. Throws NOT_FOUND where pull requests get no environments. */
async function findPullRequestEnvs(database: Database, caller: Caller, appId: string) {
  const app = await database.app.findFirst({
    where: { id: appId, deletedAt: null },
    select: { accountId: true, version: true, pullRequestEnvs: true },
  })
  if (!app) throw notFound('app', appId)
  permit(caller, 'app:read', { accountId: app.accountId })
  if (!app.pullRequestEnvs) throw notFound('setting for environments of pull requests of the app', appId)
  return { ...pullRequestEnvs.answer.record(app.pullRequestEnvs), version: app.version }
}

export const getPullRequestEnvs = recordQuery({
  name: 'getPullRequestEnvs',
  path: '/app/pull-request-envs',
  permission: 'app:read',
  about: 'Whether and how pull requests of an app get environments of their own; not found where they do not.',
  input: { appId: id('app') },
  of: pullRequestEnvs,
  version: true,
  find: ({ database, caller }, { appId }) => findPullRequestEnvs(database, caller, appId),
})
