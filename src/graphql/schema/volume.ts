import { volume } from '../../resources/volume.ts'
import { deleteVolume } from '../../services/volume/delete-volume.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields } from '../derive/resource-fields.ts'
import { rowType } from '../derive/row-types.ts'
import { messageField } from './payload-fields.ts'

rowType(
  volume,
  builder.prismaObject('Volume', {
    description: volume.description,
    select: { id: true },
    fields: (t) => rowFields(t, volume),
  }),
)

commandMutation(deleteVolume, { versioned: true, waits: true, payload: (t) => ({ message: messageField(t) }) })
