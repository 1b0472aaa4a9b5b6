import { z } from 'zod'
import { memberRecord } from '../../services/account/account-queries.ts'
import { id } from '../../services/kernel/input.ts'
import { read } from '../protocol/route.ts'

const ROLES = ['ADMIN', 'TECHNICAL', 'BILLING', 'POD_ACCESS', 'MANAGE_MEMBERS', 'AUDIT', 'MANAGE_CREDENTIALS'] as const

export const member = z
  .object({
    userId: z.string().describe('User id.'),
    email: z.string().describe('E-mail address.'),
    roles: z.array(z.enum(ROLES)).describe('Roles in the account.'),
    appEnvIds: z.array(z.string()).nullable().describe('Environments the member is restricted to; null: all.'),
  })
  .meta({ id: 'Member', description: 'A member of an account.' })

export const getMember = read({
  name: 'getMember',
  about: 'A member of an account.',
  query: z.strictObject({ accountId: id('account'), userId: id('user') }),
  answer: member,
  isSingle: true,
  run: async ({ services, caller }, { accountId, userId }) =>
    memberRecord(await services.accounts.member(caller, accountId, userId)),
})

export const listMembers = read({
  name: 'listMembers',
  about: 'The members of an account.',
  query: z.strictObject({ accountId: id('account') }),
  answer: z.object({ members: z.array(member).describe('The items.') }),
  run: async ({ services, caller }, { accountId }) => ({ members: await services.accounts.members(caller, accountId) }),
})
