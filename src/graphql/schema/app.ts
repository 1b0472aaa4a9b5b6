import { app } from '../../resources/app.ts'
import { ORDER } from '../../resources/order.ts'
import { visibleBelow } from '../../services/app-env/visible-below.ts'
import { builder } from '../builder.ts'
import { relationOf, rowFields } from '../derive/resource-fields.ts'
import { pageOfRows, relatedRows } from '../execution/text-page.ts'
import { findableAsNode, Node } from './node.ts'

export const App = builder.prismaObject('App', {
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
    ),
  }),
})

findableAsNode('app', 'App', ({ services, caller }, id, queryOf) => services.apps.get(caller, id, queryOf()))

builder.queryFields((t) => ({
  app: t.prismaField({
    type: App,
    nullable: true,
    description: 'An app, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the app.' }) },
    resolve: (query, _root, { id }, { services, caller }) => services.apps.get(caller, id, query),
  }),
  apps: t.prismaConnection({
    type: App,
    ...pageOfRows<{ accountId?: string | null }>((query, { accountId }, { services, caller }) =>
      services.apps.slice(caller, { accountId: accountId ?? undefined }, query),
    ),
    description: 'The apps of an account, newest first.',
    args: { accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }) },
  }),
}))
