import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { withId } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Volume } from '../../storage/database/generated/prisma/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { volume } from './volume-fields.ts'

interface VolumeFilter {
  accountId?: string | undefined
}

/** The volumes that a caller may see in one account: those of the environments that it may see, gone or not. */
const volumes = collection({
  model: 'Volume',
  filters: { appEnvId: withId('appEnvId', 'environment that the volumes are of') },
  async scope(database, caller, { accountId }: VolumeFilter) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'appEnv:read', { accountId: owner })
    const visible = visibleAppEnvIds(caller, owner)
    return {
      accountId: owner,
      deletedAt: null,
      operationId: null,
      ...(visible ? { appEnvId: { in: [...visible] } } : {}),
    }
  },
})

/** One volume, also where its environment is deleted. */
async function findVolume(database: Database, caller: Caller, volumeId: string, wanted: Wanted): Promise<Volume> {
  const where = { id: volumeId, deletedAt: null, operationId: null }
  const found = await findRow(database, 'Volume', { ...withColumns(wanted, 'accountId', 'appEnvId'), where })
  if (!found) throw notFound('volume', volumeId)
  permit(caller, 'appEnv:read', { accountId: found.accountId, appEnvId: found.appEnvId })
  return found
}

export const getVolume = query({
  name: 'getVolume',
  path: '/volume',
  permission: 'appEnv:read',
  about: 'A volume, by its id, also one whose environment was deleted.',
  input: { volumeId: id('volume') },
  key: { field: 'volumeId', prefix: 'vol' },
  of: volume,
  version: true,
  find: ({ database, caller }, { volumeId }, wanted) => findVolume(database, caller, volumeId, wanted),
})

export const listVolumes = listQuery({
  name: 'listVolumes',
  path: '/volumes',
  permission: 'appEnv:read',
  about: 'The volumes of an account, also those whose environment was deleted.',
  input: { accountId: id('account').optional() },
  of: volume,
  from: volumes,
})
