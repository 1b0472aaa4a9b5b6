import { ORDER } from '../../../calls/order.ts'
import { app } from '../../../services/app/app-fields.ts'
import { visibleBelow } from '../../../services/app-env/app-env-queries.ts'
import { appEnv } from '../../../services/app-env/app-env-status-fields.ts'
import { builder } from '../builder.ts'
import { connectionTypeOf } from '../derive/connection-types.ts'
import { relationOf, rowFields, rowType, rowTypeOf } from '../derive/resource-fields.ts'
import { relatedRows } from '../execution/text-page.ts'
import { Node } from './node.ts'

export const App = rowType(
  app,
  builder.prismaObject('App', {
    description: app.description,
    interfaces: [Node],
    select: { id: true, accountId: true },
    fields: (t) => ({
      ...rowFields(t, app),
      account: t.relation('account', relationOf(app, 'account')),
      appEnvs: t.relatedConnection(
        'appEnvs',
        relatedRows('appEnvs', relationOf(app, 'appEnvs'), ({ caller }) => ({
          where: visibleBelow(caller),
          orderBy: ORDER.appEnv,
        })),
        connectionTypeOf(appEnv, rowTypeOf(appEnv)),
      ),
    }),
  }),
)
