import { region } from '../../resources/region.ts'
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
