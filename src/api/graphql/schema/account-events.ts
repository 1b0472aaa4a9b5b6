import { permit, visibleAppEnvIds } from '../../../calls/caller.ts'
import { getAccount } from '../../../services/account/account-queries.ts'
import { builder } from '../builder.ts'
import { follow, type Message } from '../subscriptions/follow.ts'
import { loadOnce } from '../subscriptions/shared-load.ts'
import { Account } from './account.ts'
import { afterArg, messageFields } from './event.ts'

interface State {
  accountId: string
}

const AccountEventMessage = builder.objectRef<Message<State>>('AccountEventMessage').implement({
  description: 'An event of an account.',
  fields: (t) => ({
    ...messageFields(t),
    account: t.prismaField({
      type: Account,
      nullable: true,
      description: 'Account at the time of the message; null once the account is deleted.',
      resolve: (query, { event, state }, _args, context) =>
        event?.type === 'account.deleted'
          ? null
          : loadOnce(event, state.accountId, query, () =>
              context.services.find(getAccount, context, { accountId: state.accountId }, query),
            ),
    }),
  }),
})

builder.subscriptionField('accountEvents', (t) =>
  t.field({
    type: AccountEventMessage,
    description: 'Every event of an account, in order. Restricted members get events of their environments only.',
    args: {
      accountId: t.arg.id({ required: true, description: 'Id of the account.' }),
      after: afterArg(t.arg),
    },
    async subscribe(_root, { accountId, after }, context) {
      await context.services.find(getAccount, context, { accountId })
      return follow<State>(context, {
        eventSequenceId: accountId,
        after,
        permit: (present) => permit(present, 'account:read', { accountId }),
        concerns: ({ appEnvId }, caller) => !appEnvId || (visibleAppEnvIds(caller, accountId)?.has(appEnvId) ?? true),
        present: async () => ({ accountId }),
        next: () => ({ accountId }),
      })
    },
    resolve: (message) => message,
  }),
)
