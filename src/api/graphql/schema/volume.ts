import { volume } from '../../../services/volume/volume-fields.ts'
import { builder } from '../builder.ts'
import { rowFields } from '../derive/resource-fields.ts'
import { rowType } from '../derive/row-types.ts'

rowType(
  volume,
  builder.prismaObject('Volume', {
    description: volume.description,
    select: { id: true },
    fields: (t) => rowFields(t, volume),
  }),
)
