import { ORDER } from '../../../calls/order.ts'
import { appEnv } from '../../../services/app-env/app-env-status-fields.ts'
import { builder } from '../builder.ts'
import { relationOf, rowFields, wordsOf } from '../derive/resource-fields.ts'
import { rowType } from '../derive/row-types.ts'
import { findableAsNode, Node } from './node.ts'

export const AppEnv = rowType(
  appEnv,
  builder.prismaObject('AppEnv', {
    description: appEnv.description,
    interfaces: [Node],
    select: { id: true, accountId: true },
    fields: (t) => ({
      ...rowFields(t, appEnv),
      region: t.relation('region', wordsOf(appEnv, 'region')),
      hosts: t.relation('hosts', { query: { orderBy: ORDER.host }, ...wordsOf(appEnv, 'hosts') }),
      app: t.relation('app', relationOf(appEnv, 'app')),
      account: t.relation('account', relationOf(appEnv, 'account')),
    }),
  }),
)

findableAsNode('env', 'AppEnv', ({ services, caller }, id, queryOf) =>
  services.appEnvs.observe(caller, { appEnvId: id }, queryOf()),
)

builder.queryFields((t) => ({
  appEnv: t.prismaField({
    type: AppEnv,
    nullable: true,
    description: 'An environment, by its id or CLI name. One of the two arguments is required; `id` wins.',
    args: {
      id: t.arg.id({ description: 'Id of the environment.' }),
      envName: t.arg.string({ description: 'CLI name of the environment, `<account>-<app>-<env>`.' }),
    },
    resolve: (query, _root, { id, envName }, { services, caller }) =>
      services.appEnvs.observe(caller, { appEnvId: id ?? undefined, envName: envName ?? undefined }, query),
  }),
}))
