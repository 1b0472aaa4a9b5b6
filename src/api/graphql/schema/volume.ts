import { volume } from '../../../services/volume/volume-fields.ts'
import { builder } from '../builder.ts'
import { rowFields, rowType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

rowType(
  volume,
  builder.prismaObject('Volume', {
    description: volume.description,
    interfaces: [Node],
    select: { id: true },
    fields: (t) => rowFields(t, volume),
  }),
)
