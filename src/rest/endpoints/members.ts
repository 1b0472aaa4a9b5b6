import { z } from 'zod'
import { member } from '../../resources/member.ts'
import { id } from '../../services/kernel/input.ts'
import { getOne } from '../protocol/resource-reads.ts'
import { read } from '../protocol/route.ts'

export const getMember = getOne({
  name: 'getMember',
  permission: 'account:read',
  about: 'A member of an account.',
  query: { accountId: id('account'), userId: id('user') },
  answer: member.answer,
  find: ({ services, caller }, { accountId, userId }, wanted) =>
    services.accounts.member(caller, accountId, userId, wanted),
})

export const listMembers = read({
  name: 'listMembers',
  permission: 'account:read',
  about: 'The members of an account.',
  query: z.strictObject({ accountId: id('account') }),
  answer: z.object({ members: z.array(member.answer.type).describe('Members of the account.') }),
  async run({ services, caller }, filter) {
    const members = await services.accounts.members(caller, filter, { select: member.answer.select })
    return { members: members.map((row) => member.answer.record(row as never)) }
  },
})
