import { ORDER } from '../../../calls/order.ts'
import { account } from '../../../services/account/account-fields.ts'
import { visibleBelow } from '../../../services/app-env/app-env-queries.ts'
import { builder } from '../builder.ts'
import { relationOf, rowFields, rowType } from '../derive/resource-fields.ts'
import { relatedRows } from '../execution/text-page.ts'
import { Member } from './member.ts'
import { Node } from './node.ts'

export const Account = rowType(
  account,
  builder.prismaObject('Account', {
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
  }),
)
