import { type Caller, permit } from '../../calls/caller.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { engineKeyOf } from '../../domain/engine-key.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { type BuildCacheOfAppEnv, buildCache } from './build-cache-fields.ts'

const NOTHING = { sizeBytes: 0n, measuredAt: null, clearRequestedAt: null, clearedAt: null }

/** The cache that builds of the environment use: its account's, on the engine of its region. */
async function findBuildCache(database: Database, caller: Caller, address: AppEnvAddress) {
  const where = addressOf(address)
  const appEnv = await database.appEnv.findFirst({
    where: { ...where, deletedAt: null },
    select: { id: true, accountId: true, region: { select: { code: true, engine: true } } },
  })
  if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
  const { id: appEnvId, accountId, region } = appEnv
  permit(caller, 'appEnv:read', { accountId, appEnvId })
  const key = { accountId, engineKey: engineKeyOf(region) }
  const found = await database.buildCache.findUnique({ where: { accountId_engineKey: key } })
  const row: BuildCacheOfAppEnv = { appEnvId, ...(found ?? NOTHING) }
  return buildCache.answer.record(row)
}

export const getBuildCache = recordQuery({
  name: 'getBuildCache',
  path: '/app-env/build-cache',
  permission: 'appEnv:read',
  about: 'Size of the build cache that builds of an environment use, and whether it is going to be cleared.',
  input: appEnvTarget,
  of: buildCache,
  find: ({ database, caller }, address) => findBuildCache(database, caller, address),
})
