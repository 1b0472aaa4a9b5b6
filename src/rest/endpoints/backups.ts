import { backup } from '../../resources/backup.ts'
import { appEnvTarget } from '../../services/kernel/input.ts'
import { getList } from '../protocol/resource-reads.ts'

export const listBackups = getList({
  name: 'listBackups',
  permission: 'backup:read',
  about: 'The backups of a managed service, newest first; by appEnvId also those of a deleted environment.',
  query: appEnvTarget,
  items: 'backups',
  answer: backup.answer,
  find: ({ services, caller }, filter, page, wanted) => services.backups.list(caller, filter, page, wanted),
})
