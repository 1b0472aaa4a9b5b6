import type { Database } from '../../database/client.ts'
import { notFound } from '../../domain/errors.ts'
import { pullRequestEnvs } from '../../resources/pull-request-envs.ts'
import { type Caller, permit } from '../kernel/caller.ts'

/** With the version of the app, whose setting it is. Throws NOT_FOUND where pull requests get no environments. */
export async function getPullRequestEnvs(database: Database, caller: Caller, appId: string) {
  const app = await database.app.findFirst({
    where: { id: appId, deletedAt: null },
    select: { accountId: true, version: true, pullRequestEnvs: true },
  })
  if (!app) throw notFound('app', appId)
  permit(caller, 'app:read', { accountId: app.accountId })
  if (!app.pullRequestEnvs) throw notFound('setting for environments of pull requests of the app', appId)
  return { ...pullRequestEnvs.answer.record(app.pullRequestEnvs), version: app.version }
}
