import { permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { listQuery } from '../../calls/query.ts'
import { findRow } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { backup } from './backup-fields.ts'

/** Backups of one environment. By its id they are found also once it is deleted. */
const backups = collection({
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

export const listBackups = listQuery({
  name: 'listBackups',
  path: '/app-env/backups',
  permission: 'backup:read',
  about: 'The backups of a managed service, newest first; by appEnvId also those of a deleted environment.',
  input: appEnvTarget,
  of: backup,
  from: backups,
})
