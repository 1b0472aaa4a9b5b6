import { membersScope } from '../../services/user/user-queries.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { RoleEnum } from './enums.ts'

export const Member = builder.prismaObject('Membership', {
  name: 'Member',
  description: 'A user as a member of an account.',
  select: { accountId: true, userId: true },
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'Id of the user.' }),
    email: t.string({
      description: 'E-mail address of the user.',
      select: { user: { select: { email: true } } },
      resolve: ({ user }) => user.email,
    }),
    roles: t.expose('roles', { type: [RoleEnum], description: 'What they may do in the account.' }),
    appEnvIds: t.idList({
      nullable: true,
      description: 'Environments they are restricted to; null: all.',
      select: { restricted: true, appEnvIds: true },
      resolve: ({ restricted, appEnvIds }) => (restricted ? appEnvIds : null),
    }),
    account: t.relation('account', { description: 'The account.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they became a member.' }),
  }),
})

builder.queryFields((t) => ({
  member: t.prismaField({
    type: Member,
    nullable: true,
    description: 'One member of an account.',
    args: {
      accountId: t.arg.id({ required: true, description: 'Id of the account.' }),
      userId: t.arg.id({ required: true, description: 'Id of the user.' }),
    },
    resolve: (query, _root, { accountId, userId }, { services, caller }) =>
      services.accounts.member(caller, accountId, userId, query),
  }),
  members: t.prismaConnection({
    type: Member,
    cursor: 'accountId_userId',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The members of an account.',
    args: { accountId: t.arg.id({ required: true, description: 'Id of the account.' }) },
    resolve: async (query, _root, { accountId }, { services, caller }) => {
      const where = await membersScope(services.database, caller, accountId)
      return services.database.membership.findMany({ ...query, where, orderBy: { userId: 'asc' } })
    },
  }),
}))
