import { plan } from '../../../services/plan/plan-fields.ts'
import { builder } from '../builder.ts'
import { rowFields, rowType } from '../derive/resource-fields.ts'

rowType(
  plan,
  builder.prismaObject('Plan', {
    description: plan.description,
    select: { code: true },
    fields: (t) => rowFields(t, plan),
  }),
)
