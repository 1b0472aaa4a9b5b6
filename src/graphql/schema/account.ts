import { account } from '../../resources/account.ts'
import { ORDER } from '../../resources/order.ts'
import { visibleBelow } from '../../services/app-env/visible-below.ts'
import { accountOrCurrent } from '../../services/kernel/caller.ts'
import { builder } from '../builder.ts'
import { relationOf, rowFields } from '../derive/resource-fields.ts'
import { pageOfRows, relatedRows } from '../execution/text-page.ts'
import { Member } from './member.ts'
import { findableAsNode, Node } from './node.ts'

export const Account = builder.prismaObject('Account', {
  description: account.description,
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    ...rowFields(t, account),
    apps: t.relatedConnection(
      'apps',
      relatedRows('apps', relationOf(account, 'apps'), () => ({ where: { deletedAt: null }, orderBy: ORDER.app })),
    ),
    appEnvs: t.relatedConnection(
      'appEnvs',
      relatedRows('appEnvs', relationOf(account, 'appEnvs'), ({ caller }) => ({
        where: visibleBelow(caller),
        orderBy: ORDER.appEnv,
      })),
    ),
    members: t.relatedConnection('memberships', {
      type: Member,
      cursor: 'accountId_userId',
      query: { orderBy: ORDER.member },
      ...relationOf(account, 'members'),
    }),
  }),
})

findableAsNode('acc', 'Account', ({ services, caller }, id, queryOf) => services.accounts.get(caller, id, queryOf()))

builder.queryFields((t) => ({
  account: t.prismaField({
    type: Account,
    nullable: true,
    description: 'An account, by its id.',
    args: { id: t.arg.id({ description: 'Id of the account; your current one when omitted.' }) },
    resolve: (query, _root, { id }, { services, caller }) =>
      services.accounts.get(caller, accountOrCurrent(caller, id), query),
  }),
  accounts: t.prismaConnection({
    type: Account,
    ...pageOfRows((query, _args, { services, caller }) => services.accounts.slice(caller, {}, query)),
    description: 'The accounts you belong to; all of them for the admin of the installation.',
  }),
}))
