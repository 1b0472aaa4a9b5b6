import { member } from '../../../services/account/member-fields.ts'
import { builder } from '../builder.ts'
import { connectionTypeOf } from '../derive/connection-types.ts'
import { relationOf, rowFields, rowType } from '../derive/resource-fields.ts'
import { USUAL_PAGE } from '../limits/sizes.ts'

export const Member = rowType(
  member,
  builder.prismaObject('Membership', {
    name: 'Member',
    description: member.description,
    select: { accountId: true, userId: true },
    fields: (t) => ({
      ...rowFields(t, member),
      account: t.relation('account', relationOf(member, 'account')),
    }),
  }),
)

builder.queryFields((t) => ({
  members: t.prismaConnection(
    {
      type: Member,
      cursor: 'accountId_userId',
      defaultSize: USUAL_PAGE,
      extensions: { pageSize: USUAL_PAGE },
      description: 'The members of an account, by user id.',
      args: { accountId: t.arg.id({ required: true, description: 'Id of the account.' }) },
      totalCount: (_root, filter, { services, caller }) => services.accounts.countMembers(caller, filter),
      resolve: (query, _root, filter, { services, caller }) => services.accounts.members(caller, filter, query),
    },
    connectionTypeOf(member, Member),
  ),
}))
