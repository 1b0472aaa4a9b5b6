import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { oneOf, since, until } from '../../calls/filters.ts'
import { appEnvFilter, id } from '../../calls/input.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Backup } from '../../storage/database/generated/prisma/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { backup, backupKind, backupStatus } from './backup-fields.ts'

interface BackupFilter extends AppEnvAddress {
  accountId?: string | undefined
}

/** What is being deleted is in no list. */
const KEPT = { status: { not: 'DELETING' } }

/** Backups of one environment, or of an account. They are found also once their environment is deleted, by its id. */
const backups = collection({
  model: 'Backup',
  filters: {
    status: oneOf('status', backupStatus, 'Statuses: only backups with one of these.'),
    kind: oneOf('kind', backupKind, 'Kinds: only backups of one of these.'),
    from: since('createdAt', 'Earliest time of the backups.'),
    to: until('createdAt', 'Latest time of the backups.'),
  },
  async scope(database, caller, { accountId, appEnvId, envName }: BackupFilter) {
    if (appEnvId === undefined && envName === undefined) {
      const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
      permit(caller, 'backup:read', { accountId: account })
      const visible = visibleAppEnvIds(caller, account)
      return { accountId: account, ...KEPT, ...(visible ? { appEnvId: { in: [...visible] } } : {}) }
    }
    const where = addressOf({ appEnvId, envName })
    const live = 'id' in where ? {} : { deletedAt: null }
    const select = { id: true, accountId: true }
    const appEnv = await findRow(database, 'AppEnv', { where: { ...where, ...live }, select })
    if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
    permit(caller, 'backup:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    return { appEnvId: appEnv.id, ...KEPT }
  },
})

/** One backup, also of an environment that is deleted. */
async function findBackup(database: Database, caller: Caller, backupKey: string, wanted: Wanted): Promise<Backup> {
  const where = { id: backupKey, ...KEPT }
  const found = await findRow(database, 'Backup', { ...withColumns(wanted, 'accountId', 'appEnvId'), where })
  if (!found) throw notFound('backup', backupKey)
  permit(caller, 'backup:read', { accountId: found.accountId, appEnvId: found.appEnvId })
  return found
}

export const getBackup = query({
  name: 'getBackup',
  path: '/app-env/backup',
  permission: 'backup:read',
  about: 'A backup of a managed service, by its key.',
  input: { backupKey: id('backup').describe('Key of the backup.') },
  key: { field: 'backupKey', prefix: 'bak' },
  of: backup,
  version: true,
  find: ({ database, caller }, { backupKey }, wanted) => findBackup(database, caller, backupKey, wanted),
})

export const listBackups = listQuery({
  name: 'listBackups',
  path: '/app-env/backups',
  permission: 'backup:read',
  about:
    'The backups of a managed service, by appEnvId also once it is deleted, or of an account; of your current account when none is named.',
  input: { ...appEnvFilter, accountId: id('account').optional() },
  of: backup,
  from: backups,
})
