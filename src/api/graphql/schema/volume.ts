import { volume } from '../../../services/volume/volume-fields.ts'
import { builder } from '../builder.ts'
import { rowFields, rowType } from '../derive/resource-fields.ts'

rowType(
  volume,
  builder.prismaObject('Volume', {
    description: volume.description,
    select: { id: true },
    fields: (t) => rowFields(t, volume),
  }),
)
