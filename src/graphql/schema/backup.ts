import { backup } from '../../resources/backup.ts'
import { backupDownload } from '../../resources/outcome.ts'
import { deleteBackup } from '../../services/backup/delete-backup.ts'
import { downloadBackup } from '../../services/backup/download-backup.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

const Backup = builder.prismaObject('Backup', {
  description: backup.description,
  select: { id: true },
  fields: (t) => rowFields(t, backup),
})

builder.queryFields((t) => ({
  backups: t.prismaConnection({
    type: Backup,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The backups of a managed service, newest first; by appEnvId also those of a deleted environment.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment; or send envName.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
    },
    resolve: (query, _root, { appEnvId, envName }, { services, caller }) =>
      services.backups.slice(caller, { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }, query),
  }),
}))

commandMutation(deleteBackup, { versioned: true, waits: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(downloadBackup, { versioned: true, payload: (t) => outcomeFields(t, backupDownload) })
