import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import { permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { findRow } from '../kernel/read.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'

/** Backups of one environment. By its id they are found also once it is deleted. */
export const backups = collection({
  model: 'Backup',
  orderBy: ORDER.backup,
  async scope(database, caller, address: AppEnvAddress) {
    const where = addressOf(address)
    const live = 'id' in where ? {} : { deletedAt: null }
    const select = { id: true, accountId: true }
    const appEnv = await findRow(database, 'AppEnv', { where: { ...where, ...live }, select })
    if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
    permit(caller, 'backup:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    return { appEnvId: appEnv.id, status: { not: 'DELETING' } }
  },
})
