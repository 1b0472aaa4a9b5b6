import { appEnvTarget } from '../../../calls/input.ts'
import { ORDER } from '../../../calls/order.ts'
import { appEnv } from '../../../services/app-env/app-env-status-fields.ts'
import type { AppEnvAddress } from '../../../services/targets/load-app-env.ts'
import { builder } from '../builder.ts'
import { type ArgBuilder, inArgumentNames } from '../derive/arguments.ts'
import { findableById } from '../derive/edges.ts'
import { relationOf, rowFields, rowType, rowTypeOf, wordsOf } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

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

findableById('env', {
  typeName: 'AppEnv',
  type: () => rowTypeOf(appEnv),
  load: ({ services, caller }, id, queryOf) => services.appEnvs.observe(caller, { appEnvId: id }, queryOf()),
})

builder.queryFields((t) => ({
  appEnv: t.prismaField({
    type: AppEnv,
    nullable: true,
    description: 'An environment, by its id or CLI name. One of the two arguments is required; `id` wins.',
    args: {
      id: t.arg.id({ description: 'Id of the environment.' }),
      envName: t.arg.string({ description: 'CLI name of the environment, `<account>-<app>-<env>`.' }),
    },
    async resolve(query, _root, { id, envName }, { services, caller }) {
      try {
        return await services.appEnvs.observe(
          caller,
          { appEnvId: id ?? undefined, envName: envName ?? undefined },
          query,
        )
      } catch (error) {
        throw inArgumentNames(error, (field) => (field === 'appEnvId' ? 'id' : field))
      }
    },
  }),
}))

/** The two ways to name an environment, as arguments; services take one of them. */
export const addressArgs = (arg: ArgBuilder) => ({
  appEnvId: arg.id({ description: appEnvTarget.appEnvId.description }),
  envName: arg.string({ description: appEnvTarget.envName.description }),
})

export interface AddressArgs {
  appEnvId?: string | null | undefined
  envName?: string | null | undefined
}

export const addressOf = ({ appEnvId, envName }: AddressArgs): AppEnvAddress => ({
  appEnvId: appEnvId ?? undefined,
  envName: envName ?? undefined,
})
