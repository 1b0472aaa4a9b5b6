import { region } from '../../resources/region.ts'
import { regionEngine } from '../../resources/region-engine.ts'
import { builder } from '../builder.ts'
import { rowFields } from '../derive/resource-fields.ts'

export const Region = builder.prismaObject('Region', {
  description: region.description,
  select: { code: true },
  fields: (t) => rowFields(t, region),
})

builder.queryField('regions', (t) =>
  t.field({
    type: [Region],
    description: 'The regions of the installation.',
    args: { accountId: t.arg.id({ description: 'Id of the account that would use the regions.' }) },
    resolve: (_root, { accountId }, { services, caller }) => services.accounts.regions(caller, accountId ?? undefined),
  }),
)

const RegionEngine = builder.prismaObject('Region', {
  variant: 'RegionEngine',
  description: regionEngine.description,
  select: { code: true },
  fields: (t) => rowFields(t, regionEngine),
})

builder.queryField('regionEngines', (t) =>
  t.field({
    type: [RegionEngine],
    description: 'The container engine of each region, and whether it answers. For the installation’s admin.',
    resolve: (_root, _args, { services, caller }) => services.plans.engines(caller),
  }),
)
