import { ORDER } from '../../resources/order.ts'
import { accountOrCurrent, permit, visibleAppEnvIds } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { requireAccount } from '../targets/load-account.ts'

interface VolumeFilter {
  accountId?: string | undefined
}

/** The volumes that a caller may see in one account: those of the environments that it may see, gone or not. */
export const volumes = collection({
  model: 'Volume',
  orderBy: ORDER.volume,
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
