import { plan } from '../../resources/plan.ts'
import { region } from '../../resources/region.ts'
import { createPlan, updatePlan } from '../../services/plan/plan-commands.ts'
import { createRegion, updateRegion } from '../../services/plan/region-commands.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields } from '../derive/resource-fields.ts'
import { rowType } from '../derive/row-types.ts'
import { outcomeFields } from './payload-fields.ts'

rowType(
  plan,
  builder.prismaObject('Plan', {
    description: plan.description,
    select: { code: true },
    fields: (t) => rowFields(t, plan),
  }),
)

for (const command of [createPlan, updatePlan])
  commandMutation(command, { payload: (t) => outcomeFields(t, plan.fields) })
for (const command of [createRegion, updateRegion])
  commandMutation(command, { payload: (t) => outcomeFields(t, region.fields) })
