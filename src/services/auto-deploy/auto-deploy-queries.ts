import { type Caller, permit } from '../../calls/caller.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { autoDeploy } from './auto-deploy-fields.ts'

/** With the version of the environment, whose setting it is. Throws NOT_FOUND where pushes deploy nothing. */
async function findAutoDeploy(database: Database, caller: Caller, address: AppEnvAddress) {
  const where = addressOf(address)
  const appEnv = await database.appEnv.findFirst({
    where: { ...where, deletedAt: null },
    select: { id: true, accountId: true, version: true, autoDeploy: true },
  })
  if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
  permit(caller, 'appEnv:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
  if (!appEnv.autoDeploy) throw notFound('auto-deploy of the app environment', appEnv.id)
  return { ...autoDeploy.answer.record(appEnv.autoDeploy), version: appEnv.version }
}

export const getAutoDeploy = recordQuery({
  name: 'getAutoDeploy',
  path: '/app-env/auto-deploy',
  permission: 'appEnv:read',
  about: 'Whether and how pushes deploy an environment; not found where they do not.',
  input: appEnvTarget,
  of: autoDeploy,
  version: true,
  find: ({ database, caller }, address) => findAutoDeploy(database, caller, address),
})
