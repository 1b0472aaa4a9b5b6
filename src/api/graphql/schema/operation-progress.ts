import { permit } from '../../../calls/caller.ts'
import { isOpen } from '../../../domain/operation.ts'
import { getOperation } from '../../../services/operation/operation-queries.ts'
import { builder } from '../builder.ts'
import { follow, type Message } from '../subscriptions/follow.ts'
import { loadOnce } from '../subscriptions/shared-load.ts'
import { afterArg, messageFields } from './event.ts'
import { Operation } from './operation.ts'

interface State {
  operationId: string
  hasEnded: boolean
}

const ENDINGS: ReadonlySet<string> = new Set(['operation.succeeded', 'operation.failed', 'operation.cancelled'])

const OperationProgressMessage = builder.objectRef<Message<State>>('OperationProgressMessage').implement({
  description: 'Progress of an operation, at first and after each step.',
  fields: (t) => ({
    ...messageFields(t),
    operation: t.prismaField({
      type: Operation,
      description: 'Operation at the time of the message.',
      resolve: (query, { event, state }, _args, context) =>
        loadOnce(event, state.operationId, query, () =>
          context.services.find(getOperation, context, { operationId: state.operationId }, query),
        ),
    }),
  }),
})

builder.subscriptionField('operationProgress', (t) =>
  t.field({
    type: OperationProgressMessage,
    description: 'The steps of an operation, until it has ended.',
    args: {
      operationId: t.arg.id({ required: true, description: 'Id of the operation.' }),
      after: afterArg(t.arg),
    },
    async subscribe(_root, { operationId, after }, context) {
      const { accountId, appEnvId } = await context.services.find(getOperation, context, { operationId })
      return follow<State>(context, {
        eventSequenceId: accountId,
        after,
        permit: (present) => permit(present, 'operation:read', { accountId, appEnvId }),
        // A change of the environment's status may name the operation too; it is no progress of it.
        concerns: (event) => event.operationId === operationId && event.type.startsWith('operation.'),
        present: async () => {
          const { status } = await context.services.find(getOperation, context, { operationId })
          return { operationId, hasEnded: !isOpen(status) }
        },
        next: (_state, event) => ({ operationId, hasEnded: ENDINGS.has(event.type) }),
        isLast: ({ hasEnded }) => hasEnded,
      })
    },
    resolve: (message) => message,
  }),
)
