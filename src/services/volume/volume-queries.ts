import { accountOrCurrent, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { withId } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { listQuery } from '../../calls/query.ts'
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

export const listVolumes = listQuery({
  name: 'listVolumes',
  path: '/volumes',
  permission: 'appEnv:read',
  about: 'The volumes of an account, also those whose environment was deleted.',
  input: { accountId: id('account').optional() },
  of: volume,
  from: volumes,
})
