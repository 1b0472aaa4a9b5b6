import { deleteBudget, setBudget } from '../../src/services/usage/budget-commands.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const budget = ({ perform, accountId }: World) => perform(setBudget, { accountId, amount: '250' })

/** Budgets of accounts. */
export const usageCases = [
  parityCase('setBudget', 'accepted', async ({ accountId }) => ({
    command: setBudget,
    input: { accountId, amount: '250.50' },
  })),
  parityCase('setBudget to another amount, by BILLING', 'accepted', async (world) => {
    await budget(world)
    const { token } = await world.user({ roles: ['BILLING'] })
    return { command: setBudget, input: { accountId: world.accountId, amount: '300' }, token }
  }),
  parityCase('setBudget to nothing', 'INVALID_INPUT', async ({ accountId }) => ({
    command: setBudget,
    input: { accountId, amount: '0.00' },
  })),
  parityCase('setBudget by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: setBudget,
    input: { accountId: world.accountId, amount: '250' },
    token: (await world.user()).token,
  })),
  parityCase('deleteBudget', 'accepted', async (world) => {
    await budget(world)
    return { command: deleteBudget, input: { accountId: world.accountId } }
  }),
  parityCase('deleteBudget that is not set', 'NOT_FOUND', async ({ accountId }) => ({
    command: deleteBudget,
    input: { accountId },
  })),
]
