import { z } from 'zod'
import { type CommandContext, command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { notFound } from '../../domain/errors.ts'
import { microsOf, money } from '../../domain/usage-price.ts'
import { lockAccount } from '../targets/load-account.ts'
import { budgetChange } from './usage-fields.ts'

const AMOUNT_RULE = 'must be an amount above zero, such as 250 or 250.50'

const budgetAmount = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,2})?$/, AMOUNT_RULE)
  .refine((text) => /[1-9]/.test(text), AMOUNT_RULE)
  .describe('Amount for each month, in the currency of the installation, such as 250.50.')

async function lockBudget({ tx }: CommandContext, { accountId }: { accountId: string }) {
  const { account } = await lockAccount(tx, accountId)
  const budget = await tx.budget.findUnique({ where: { accountId: account.id } })
  return { type: 'budget' as const, id: account.id, accountId: account.id, budget }
}

export const setBudget = command({
  name: 'setBudget',
  rest: { method: 'PUT', path: '/account/budget', answer: budgetChange },
  about:
    'Set the monthly budget of an account. The event budget.reached announces 50, 80 and 100 percent, once a month each; nothing is stopped.',
  example: { request: { amount: '250.50' } },
  input: z.strictObject({ accountId: id('account'), amount: budgetAmount }),
  permission: 'budget:manage',
  target: lockBudget,
  async execute({ tx, config, announce, auditDetails }, input, { accountId }) {
    const amountMicros = microsOf(input.amount)
    await tx.budget.upsert({ where: { accountId }, create: { accountId, amountMicros }, update: { amountMicros } })
    const { BERTH_CURRENCY: currency } = config
    const amount = money(amountMicros, currency)
    announce({ type: 'budget.changed', payload: { amount, currency } })
    auditDetails({ amount, currency })
    return { accountId, amount, currency }
  },
})

export const deleteBudget = command({
  name: 'deleteBudget',
  rest: { method: 'DELETE', path: '/account/budget', answer: messageAnswer },
  about: 'Remove the budget of an account. Its spending is no longer announced.',
  example: { answer: { message: 'The budget is removed' } },
  input: z.strictObject({ accountId: id('account') }),
  permission: 'budget:manage',
  target: lockBudget,
  async execute({ tx, announce, auditDetails }, _input, { accountId, budget }) {
    if (!budget) throw notFound('budget of the account', accountId)
    await tx.budget.delete({ where: { accountId } })
    announce({ type: 'budget.changed', payload: { amount: null } })
    auditDetails({})
    return { message: 'The budget is removed' }
  },
})
