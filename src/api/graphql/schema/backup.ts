import { backup } from '../../../services/backup/backup-fields.ts'
import { builder } from '../builder.ts'
import { rowFields, rowType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

rowType(
  backup,
  builder.prismaObject('Backup', {
    description: backup.description,
    interfaces: [Node],
    select: { id: true },
    fields: (t) => rowFields(t, backup),
  }),
)
