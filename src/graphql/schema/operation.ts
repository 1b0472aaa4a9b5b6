import { appEnv } from '../../resources/app-env-status.ts'
import { operation } from '../../resources/operation.ts'
import { ORDER } from '../../resources/order.ts'
import { builder } from '../builder.ts'
import { permitRelation, relationOf, rowFields } from '../derive/resource-fields.ts'
import { pageOfRows, relatedRows } from '../execution/text-page.ts'
import { type AddressArgs, addressArgs, addressOf } from './address.ts'
import { AppEnv } from './app-env.ts'
import { Deployment } from './deployment.ts'
import { findableAsNode, Node } from './node.ts'

export const Operation = builder.prismaObject('Operation', {
  description: operation.description,
  interfaces: [Node],
  select: { id: true, accountId: true, appEnvId: true },
  fields: (t) => ({
    ...rowFields(t, operation),
    appEnv: t.field({
      type: AppEnv,
      nullable: true,
      ...relationOf(operation, 'appEnv'),
      select: (_args, _context, nested) => ({
        accountId: true,
        appEnvId: true,
        appEnv: nested({ select: { id: true, accountId: true, deletedAt: true } }),
      }),
      resolve({ accountId, appEnvId, appEnv }, _args, { caller }) {
        permitRelation(operation, 'appEnv', caller, { accountId, appEnvId })
        return appEnv.deletedAt ? null : appEnv
      },
    }),
    deployment: t.field({
      type: Deployment,
      nullable: true,
      ...relationOf(operation, 'deployment'),
      select: (_args, _context, nested) => ({
        accountId: true,
        appEnvId: true,
        appEnv: { select: { deletedAt: true } },
        content: nested(),
      }),
      resolve({ accountId, appEnvId, appEnv, content }, _args, { caller }) {
        permitRelation(operation, 'deployment', caller, { accountId, appEnvId })
        return appEnv.deletedAt ? null : content
      },
    }),
  }),
})

builder.prismaObjectFields(AppEnv, (t) => ({
  operations: t.relatedConnection(
    'operations',
    relatedRows('operations', relationOf(appEnv, 'operations'), () => ({ orderBy: ORDER.operation })),
  ),
}))

findableAsNode('op', 'Operation', ({ services, caller }, id, queryOf) => services.operations.get(caller, id, queryOf()))

builder.queryFields((t) => ({
  operation: t.prismaField({
    type: Operation,
    nullable: true,
    description: 'An operation, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the operation.' }) },
    resolve: (query, _root, { id }, { services, caller }) => services.operations.get(caller, id, query),
  }),
  operations: t.prismaConnection({
    type: Operation,
    ...pageOfRows<AddressArgs & { isDeadLetter?: boolean | null }>(
      (query, { isDeadLetter, ...address }, { services, caller }) =>
        services.operations.slice(caller, { ...addressOf(address), isDeadLetter: isDeadLetter ?? undefined }, query),
    ),
    description: 'The operations of an environment, newest first. One of the first two arguments is required.',
    args: {
      ...addressArgs(t.arg),
      isDeadLetter: t.arg.boolean({
        description: 'Whether to list only operations that used up every attempt, or only the others.',
      }),
    },
  }),
}))
