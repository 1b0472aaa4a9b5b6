import { z } from 'zod'
import { plan } from '../../resources/plan.ts'
import { regionEngine } from '../../resources/region-engine.ts'
import type { RowOf } from '../../resources/resource.ts'
import { read } from '../protocol/route.ts'

export const listPlans = read({
  name: 'listPlans',
  permission: 'catalogue:read',
  about: 'The plans of the installation, with their limits.',
  query: z.strictObject({}),
  answer: z.object({ plans: z.array(plan.answer.type).describe('Plans of the installation, by code.') }),
  async run(context) {
    const plans = await context.services.plans.list(context.caller, { select: plan.answer.select })
    return { plans: plans.map((row) => plan.answer.record(row, context)) }
  },
})

export const listRegionEngines = read({
  name: 'listRegionEngines',
  permission: 'installation:manage',
  about: 'The container engine of each region, and whether it answers. For the installation’s admin.',
  query: z.strictObject({}),
  answer: z.object({ engines: z.array(regionEngine.answer.type).describe('Engines, by the code of their region.') }),
  async run({ services, caller }) {
    const engines = await services.plans.engines(caller, { select: regionEngine.answer.select })
    return {
      engines: engines.map((row) => regionEngine.answer.record(row as unknown as RowOf<typeof regionEngine.fields>)),
    }
  },
})
