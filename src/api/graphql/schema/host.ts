import { host } from '../../../services/host/host-fields.ts'
import { builder } from '../builder.ts'
import { rowFields } from '../derive/resource-fields.ts'

builder.prismaObject('Host', {
  description: host.description,
  select: { id: true },
  fields: (t) => rowFields(t, host),
})
