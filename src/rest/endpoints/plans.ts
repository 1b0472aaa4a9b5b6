import { z } from 'zod'
import { plan } from '../../resources/plan.ts'
import { read } from '../protocol/route.ts'

export const listPlans = read({
  name: 'listPlans',
  permission: 'catalogue:read',
  about: 'The plans of the installation, with their limits.',
  query: z.strictObject({}),
  answer: z.object({ plans: z.array(plan.answer.type).describe('Plans of the installation, by code.') }),
  async run({ services, caller }) {
    const plans = await services.plans.list(caller, { select: plan.answer.select })
    return { plans: plans.map((row) => plan.answer.record(row)) }
  },
})
