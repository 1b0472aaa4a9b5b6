import { plan } from '../../resources/plan.ts'
import { region } from '../../resources/region.ts'
import { createPlan, updatePlan } from '../../services/plan/plan-commands.ts'
import { createRegion, updateRegion } from '../../services/plan/region-commands.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields } from '../derive/resource-fields.ts'
import { outcomeFields } from './payload-fields.ts'

const Plan = builder.prismaObject('Plan', {
  description: plan.description,
  select: { code: true },
  fields: (t) => rowFields(t, plan),
})

builder.queryField('plans', (t) =>
  t.field({
    type: [Plan],
    description: 'The plans of the installation, with their limits.',
    resolve: (_root, _args, { services, caller }) => services.plans.list(caller),
  }),
)

for (const command of [createPlan, updatePlan])
  commandMutation(command, { payload: (t) => outcomeFields(t, plan.fields) })
for (const command of [createRegion, updateRegion])
  commandMutation(command, { payload: (t) => outcomeFields(t, region.fields) })
