import { permit, visibleAppEnvIds } from '../../services/kernel/caller.ts'
import { builder } from '../builder.ts'
import { follow, type Message } from '../subscriptions/follow.ts'
import { loadOnce } from '../subscriptions/shared-load.ts'
import { Account } from './account.ts'
import { Event } from './event.ts'

interface State {
  accountId: string
}

const AccountEventMessage = builder.objectRef<Message<State>>('AccountEventMessage').implement({
  description: 'Something that happened in an account.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Send it as `after` to go on behind this.' }),
    event: t.expose('event', { type: Event, nullable: true, description: 'What happened; null in the first answer.' }),
    account: t.prismaField({
      type: Account,
      nullable: true,
      description: 'The account as it is when this is sent; null once it is deleted.',
      resolve: (query, { event, state }, _args, { services, caller }) =>
        event?.type === 'account.deleted'
          ? null
          : loadOnce(event, state.accountId, query, () => services.accounts.get(caller, state.accountId, query)),
    }),
  }),
})

builder.subscriptionField('accountEvents', (t) =>
  t.field({
    type: AccountEventMessage,
    description: 'Everything that happens in an account, in order. Restricted members hear of their environments only.',
    args: {
      accountId: t.arg.id({ required: true, description: 'Id of the account.' }),
      after: t.arg.string({ description: 'Go on behind this cursor; the first answer is then what followed it.' }),
    },
    async subscribe(_root, { accountId, after }, context) {
      await context.services.accounts.get(context.caller, accountId)
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
