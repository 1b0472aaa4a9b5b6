import { ORDER } from '../../../calls/order.ts'
import { appEnv } from '../../../services/app-env/app-env-status-fields.ts'
import { operation } from '../../../services/operation/operation-fields.ts'
import { builder } from '../builder.ts'
import { connectionTypeOf } from '../derive/connection-types.ts'
import { permitRelation, relationOf, rowFields, rowType } from '../derive/resource-fields.ts'
import { relatedRows } from '../execution/text-page.ts'
import { AppEnv } from './app-env.ts'
import { Deployment } from './deployment.ts'
import { Node } from './node.ts'

export const Operation = rowType(
  operation,
  builder.prismaObject('Operation', {
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
  }),
)

builder.prismaObjectFields(AppEnv, (t) => ({
  operations: t.relatedConnection(
    'operations',
    relatedRows('operations', relationOf(appEnv, 'operations'), () => ({ orderBy: ORDER.operation })),
    connectionTypeOf(operation, Operation),
  ),
}))
