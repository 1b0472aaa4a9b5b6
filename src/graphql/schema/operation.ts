import type { OperationStep as Step } from '../../domain/operation.ts'
import { permit } from '../../services/kernel/caller.ts'
import { OPERATIONS_ORDER } from '../../services/operation/operation-queries.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { AppEnv } from './app-env.ts'
import { Deployment } from './deployment.ts'
import { OperationKindEnum, OperationStatusEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'

const OperationStep = builder.objectRef<Step>('OperationStep').implement({
  description: 'A step that an operation has begun.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What is done.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was done; null while it is not.',
    }),
    detail: t.exposeString('detail', { nullable: true, description: 'What a person may want to know about it.' }),
  }),
})

export const Operation = builder.prismaObject('Operation', {
  description: 'The durable record of a lifecycle call: what was asked, how far it has come, and how it ended.',
  interfaces: [Node],
  select: { id: true, accountId: true, appEnvId: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    kind: t.expose('kind', { type: OperationKindEnum, description: 'What it does.' }),
    status: t.expose('status', { type: OperationStatusEnum, description: 'How far it has come.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it did not succeed, as a code.' }),
    message: t.exposeString('message', { nullable: true, description: 'The same in words.' }),
    steps: t.field({
      type: [OperationStep],
      description: 'The steps that it has begun, in order.',
      select: { steps: true },
      resolve: ({ steps }) => steps as unknown as Step[],
    }),
    attempt: t.exposeInt('attempt', { description: 'How often it was tried.' }),
    maxAttempts: t.exposeInt('maxAttempts', { description: 'How often it is tried at most.' }),
    isDeadLetter: t.exposeBoolean('isDeadLetter', {
      description: 'Whether every attempt was used up and it waits for a person; `retryOperation` drives it again.',
    }),
    retriesId: t.exposeID('retriesId', { nullable: true, description: 'The operation that it is a repeat of.' }),
    requestId: t.exposeString('requestId', { description: 'Id of the request that asked for it.' }),
    requestedBy: t.exposeString('requestedBy', { nullable: true, description: 'Who asked: a user’s or a token’s id.' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change; what `expectedVersion` is compared with.',
    }),
    deadlineAt: t.expose('deadlineAt', { type: 'DateTime', description: 'When it fails if it has not ended.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When a worker began.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    appEnvId: t.exposeID('appEnvId', { description: 'Id of the environment that it is about.' }),
    // An environment token may follow its operations, but the records around them are not for it (contract §1).
    appEnv: t.field({
      type: AppEnv,
      nullable: true,
      description: 'The environment that it is about; null once that is deleted.',
      select: (_args, _context, nested) => ({
        accountId: true,
        appEnvId: true,
        appEnv: nested({ select: { id: true, accountId: true, deletedAt: true } }),
      }),
      resolve({ accountId, appEnvId, appEnv }, _args, { caller }) {
        permit(caller, 'appEnv:read', { accountId, appEnvId })
        return appEnv.deletedAt ? null : appEnv
      },
    }),
    deployment: t.field({
      type: Deployment,
      nullable: true,
      description: 'The version that it brings about or back; null once its environment is deleted.',
      select: (_args, _context, nested) => ({
        accountId: true,
        appEnvId: true,
        appEnv: { select: { deletedAt: true } },
        content: nested(),
      }),
      resolve({ accountId, appEnvId, appEnv, content }, _args, { caller }) {
        permit(caller, 'appEnv:read', { accountId, appEnvId })
        return appEnv.deletedAt ? null : content
      },
    }),
  }),
})

builder.prismaObjectFields(AppEnv, (t) => ({
  operations: t.relatedConnection('operations', {
    cursor: 'id',
    query: { orderBy: OPERATIONS_ORDER },
    description: 'What was asked of it, newest first.',
  }),
}))

findableAsNode('op', 'Operation', ({ services, caller }, id, queryOf) => services.operations.get(caller, id, queryOf()))

builder.queryFields((t) => ({
  operation: t.prismaField({
    type: Operation,
    nullable: true,
    description: 'One operation.',
    args: { id: t.arg.id({ required: true, description: 'Id of the operation.' }) },
    resolve: (query, _root, { id }, { services, caller }) => services.operations.get(caller, id, query),
  }),
  operations: t.prismaConnection({
    type: Operation,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'What was asked of an environment, newest first. One of the first two arguments is required.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
      isDeadLetter: t.arg.boolean({ description: 'Only those that wait for a person, or only the others.' }),
    },
    resolve: async (query, _root, { appEnvId, envName, isDeadLetter }, { services, caller }) => {
      const address = { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }
      const scope = await services.operations.scope(caller, address)
      const where = typeof isDeadLetter === 'boolean' ? { ...scope, isDeadLetter } : scope
      return services.database.operation.findMany({ ...query, where, orderBy: OPERATIONS_ORDER })
    },
  }),
}))
