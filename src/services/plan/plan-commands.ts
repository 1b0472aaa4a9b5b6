import { z } from 'zod'
import { type CommandContext, command, type Target } from '../../calls/command.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { buildColumns } from './build-resources.ts'
import { plan } from './plan-fields.ts'
import { optionally, planCode, planDefaults, planFields } from './plan-input.ts'

const planTarget = (code: string): Target => ({ type: 'plan', id: code, accountId: null })

export const createPlan = command({
  name: 'createPlan',
  rest: { method: 'POST', path: '/plan', answer: plan.answer },
  about: 'Create a plan, which accounts can be put on. Only the installation’s admin may.',
  example: {
    request: {
      plan: 'small',
      name: 'Small',
      functionsIncluded: true,
      autoscalingIncluded: false,
      maxApps: 5,
      maxAppEnvs: 3,
      maxContainers: 2,
      maxZClouds: 2,
      logDays: 3,
    },
    answer: { plan: 'small', name: 'Small' },
  },
  input: z.strictObject({
    plan: planCode,
    ...planFields,
    logDays: planFields.logDays.default(7),
    metricDays: planFields.metricDays.default(30),
    ...planDefaults,
  }),
  permission: 'installation:manage',
  target: async (_context, { plan }) => planTarget(plan),
  async execute(context, { plan: code, ...fields }) {
    const { tx, auditDetails } = context
    if (await tx.plan.findUnique({ where: { code } }))
      throw conflict('CODE_TAKEN', `There is a plan "${code}" already: update it instead`)
    const columns = buildColumns(null, fields)
    const created = await tx.plan.create({ data: { code, ...fields, ...columns } })
    auditDetails({ plan: code, ...fields })
    return plan.answer.record(created, context)
  },
})

export const updatePlan = command({
  name: 'updatePlan',
  rest: { method: 'PUT', path: '/plan', answer: plan.answer },
  about:
    'Change a plan, for all accounts on it. What they have already keeps running; nothing can be added beyond the new limits.',
  example: { request: { plan: 'standard', maxContainers: 20 } },
  input: z.strictObject({ plan: planCode, ...optionally(planFields) }),
  permission: 'installation:manage',
  target: (context, { plan }) => lockPlan(context, plan),
  async execute(context, { plan: code, ...fields }) {
    const { tx, auditDetails } = context
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    const present = await tx.plan.findUniqueOrThrow({ where: { code } })
    const columns = buildColumns(present, fields)
    const updated = await tx.plan.update({ where: { code }, data: { ...sent, ...columns } })
    auditDetails(sent)
    return plan.answer.record(updated, context)
  },
})

async function lockPlan({ tx }: CommandContext, code: string): Promise<Target> {
  const found = await tx.$queryRaw<unknown[]>`SELECT 1 FROM plan WHERE code = ${code} FOR UPDATE`
  if (found.length === 0) throw notFound('plan', code)
  return planTarget(code)
}
