import { permit } from '../../../calls/caller.ts'
import { getInstallation } from '../../../services/solution/solution-queries.ts'
import { builder } from '../builder.ts'
import { follow, type Message } from '../subscriptions/follow.ts'
import { loadOnce } from '../subscriptions/shared-load.ts'
import { afterArg, messageFields } from './event.ts'
import { SolutionInstallation } from './solution.ts'

interface State {
  installationId: string
  isRemoved: boolean
}

const InstallationChangedMessage = builder.objectRef<Message<State>>('InstallationChangedMessage').implement({
  description: 'An installation, at first and after each step.',
  fields: (t) => ({
    ...messageFields(t),
    installation: t.prismaField({
      type: SolutionInstallation,
      nullable: true,
      description: 'Installation at the time of the message; null once it is removed.',
      resolve: (query, { event, state }, _args, context) =>
        state.isRemoved
          ? null
          : loadOnce(event, state.installationId, query, () =>
              context.services.find(getInstallation, context, { installationId: state.installationId }, query),
            ),
    }),
  }),
})

builder.subscriptionField('installationChanged', (t) =>
  t.field({
    type: InstallationChangedMessage,
    description: 'The progress of an installation, until it is removed.',
    args: {
      installationId: t.arg.id({ required: true, description: 'Id of the installation.' }),
      after: afterArg(t.arg),
    },
    async subscribe(_root, { installationId, after }, context) {
      const { accountId } = await context.services.find(getInstallation, context, { installationId })
      return follow<State>(context, {
        eventSequenceId: accountId,
        after,
        permit: (present) => permit(present, 'app:read', { accountId }),
        concerns: ({ type, payload }) => type === 'installation.changed' && payload.installationId === installationId,
        present: async () => ({ installationId, isRemoved: false }),
        next: (_state, { payload }) => ({ installationId, isRemoved: payload.status === 'REMOVED' }),
        isLast: ({ isRemoved }) => isRemoved,
      })
    },
    resolve: (message) => message,
  }),
)
