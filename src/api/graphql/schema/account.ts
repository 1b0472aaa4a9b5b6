import { ORDER } from '../../../calls/order.ts'
import { account } from '../../../services/account/account-fields.ts'
import { member } from '../../../services/account/member-fields.ts'
import { app } from '../../../services/app/app-fields.ts'
import { visibleBelow } from '../../../services/app-env/app-env-queries.ts'
import { appEnv } from '../../../services/app-env/app-env-status-fields.ts'
import { builder } from '../builder.ts'
import { connectionTypeOf } from '../derive/connection-types.ts'
import { relationOf, rowFields, rowType, rowTypeOf } from '../derive/resource-fields.ts'
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
        connectionTypeOf(app, rowTypeOf(app)),
      ),
      appEnvs: t.relatedConnection(
        'appEnvs',
        relatedRows('appEnvs', relationOf(account, 'appEnvs'), ({ caller }) => ({
          where: visibleBelow(caller),
          orderBy: ORDER.appEnv,
        })),
        connectionTypeOf(appEnv, rowTypeOf(appEnv)),
      ),
      members: t.relatedConnection(
        'memberships',
        {
          type: Member,
          cursor: 'accountId_userId',
          totalCount: true,
          query: { orderBy: ORDER.member },
          ...relationOf(account, 'members'),
        },
        connectionTypeOf(member, Member),
      ),
    }),
  }),
)
