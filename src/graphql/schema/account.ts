import { visibleBelow } from '../../services/app-env/visible-below.ts'
import { accountOrCurrent } from '../../services/kernel/caller.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { Member } from './member.ts'
import { findableAsNode, Node } from './node.ts'

export const Account = builder.prismaObject('Account', {
  description: 'Owns apps, and has members.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    slug: t.exposeString('slug', { description: 'Its part of host and CLI names.' }),
    isVerified: t.exposeBoolean('isVerified', { description: 'Whether it was verified.' }),
    allowAutoScaling: t.exposeBoolean('allowAutoScaling', { description: 'Whether its apps may scale by themselves.' }),
    isCurrent: t.boolean({
      description: 'Whether it is your current account.',
      resolve: ({ id }, _args, { caller }) => caller.currentAccountId === id,
    }),
    plan: t.exposeString('planCode', { description: 'Code of its plan.' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change; what `expectedVersion` is compared with.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    apps: t.relatedConnection('apps', {
      cursor: 'id',
      query: { where: { deletedAt: null }, orderBy: { id: 'asc' } },
      description: 'Its apps, oldest first.',
    }),
    appEnvs: t.relatedConnection('appEnvs', {
      cursor: 'id',
      query: (_args, { caller }) => ({ where: visibleBelow(caller), orderBy: { id: 'asc' } }),
      description: 'Its environments, of all apps, oldest first.',
    }),
    members: t.relatedConnection('memberships', {
      type: Member,
      cursor: 'accountId_userId',
      query: { orderBy: { userId: 'asc' } },
      description: 'Its members.',
    }),
  }),
})

findableAsNode('acc', 'Account', ({ services, caller }, id, queryOf) => services.accounts.get(caller, id, queryOf()))

builder.queryFields((t) => ({
  account: t.prismaField({
    type: Account,
    nullable: true,
    description: 'One account.',
    args: { id: t.arg.id({ description: 'Id of the account; your current one when omitted.' }) },
    resolve: (query, _root, { id }, { services, caller }) =>
      services.accounts.get(caller, accountOrCurrent(caller, id), query),
  }),
  accounts: t.prismaConnection({
    type: Account,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The accounts you belong to; all of them for the admin of the installation.',
    resolve: (query, _root, _args, { services, caller }) =>
      services.database.account.findMany({ ...query, where: services.accountsScope(caller), orderBy: { id: 'asc' } }),
  }),
}))
