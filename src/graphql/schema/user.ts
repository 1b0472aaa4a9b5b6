import { notFound } from '../../domain/errors.ts'
import { getSelf } from '../../services/user/user-queries.ts'
import { builder } from '../builder.ts'
import { Member } from './member.ts'
import { findableAsNode, Node } from './node.ts'

export const User = builder.prismaObject('User', {
  description: 'A person who uses the installation.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Their id.' }),
    email: t.exposeString('email', { description: 'E-mail address.' }),
    username: t.exposeString('username', { description: 'Name to be called by.' }),
    isInstallationAdmin: t.exposeBoolean('isInstallationAdmin', {
      description: 'Whether they administer the whole installation.',
    }),
    currentAccount: t.relation('currentAccount', {
      nullable: true,
      description: 'The account that lists are about when they name none.',
    }),
    memberships: t.relation('memberships', {
      type: Member,
      query: { orderBy: { accountId: 'asc' } },
      description: 'The accounts they belong to, and as what.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they joined.' }),
  }),
})

builder.queryField('me', (t) =>
  t.prismaField({
    type: User,
    description: 'The user behind the token.',
    resolve: (query, _root, _args, { services, caller }) => getSelf(services.database, caller, query),
  }),
)

// Other users are seen as members of accounts; as such they have no page of their own.
findableAsNode('usr', 'User', ({ services, caller }, id, queryOf) => {
  if (caller.userId !== id) throw notFound('user', id)
  return getSelf(services.database, caller, queryOf())
})
