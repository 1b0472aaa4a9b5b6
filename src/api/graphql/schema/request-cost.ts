import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import { type Cost, type CostPart, costOf } from '../limits/cost.ts'

const Part = builder.objectRef<CostPart>('RequestCostPart').implement({
  description: 'What one field of a request costs, with everything below it.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Name of the field at the top level.' }),
    cost: t.exposeInt('cost', { description: 'Number of objects that the field may ask for.' }),
  }),
})

const RequestCost = builder.objectRef<Cost & { allowed: number }>('RequestCost').implement({
  description:
    'The cost of a request, which is known before it is executed: the objects that it may ask for. Ten scalar fields count as one object.',
  fields: (t) => ({
    requested: t.exposeInt('cost', { description: 'Number of objects that the request may ask for.' }),
    allowed: t.exposeInt('allowed', { description: 'Number of objects that a request may ask for at most.' }),
    parts: t.field({
      type: [Part],
      description: 'Costs of the fields at the top level, the highest first.',
      resolve: ({ parts }) => parts,
    }),
  }),
})

builder.queryField('requestCost', (t) =>
  t.field({
    type: RequestCost,
    description: 'The cost of this very request.',
    resolve(_root, _args, { config }: GraphQLContext, { schema, operation, fragments, variableValues }) {
      const values = 'coerced' in variableValues ? variableValues.coerced : variableValues
      const cost = costOf(schema, operation, new Map(Object.entries(fragments)), values as Record<string, unknown>)
      return { ...cost, allowed: config.BERTH_GRAPHQL_MAX_COST }
    },
  }),
)
