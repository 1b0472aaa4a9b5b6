import { backup } from '../../resources/backup.ts'
import { backupDownload } from '../../resources/outcome.ts'
import { deleteBackup } from '../../services/backup/delete-backup.ts'
import { downloadBackup } from '../../services/backup/download-backup.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields } from '../derive/resource-fields.ts'
import { rowType } from '../derive/row-types.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

rowType(
  backup,
  builder.prismaObject('Backup', {
    description: backup.description,
    select: { id: true },
    fields: (t) => rowFields(t, backup),
  }),
)

commandMutation(deleteBackup, { versioned: true, waits: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(downloadBackup, { versioned: true, payload: (t) => outcomeFields(t, backupDownload) })
