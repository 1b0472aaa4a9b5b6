import { regionEngine } from '../../../services/plan/region-engine-fields.ts'
import { region } from '../../../services/plan/region-fields.ts'
import { builder } from '../builder.ts'
import { rowFields, rowType } from '../derive/resource-fields.ts'

export const Region = rowType(
  region,
  builder.prismaObject('Region', {
    description: region.description,
    select: { code: true },
    fields: (t) => rowFields(t, region),
  }),
)

rowType(
  regionEngine,
  builder.prismaObject('Region', {
    variant: 'RegionEngine',
    description: regionEngine.description,
    select: { code: true },
    fields: (t) => rowFields(t, regionEngine),
  }),
)
