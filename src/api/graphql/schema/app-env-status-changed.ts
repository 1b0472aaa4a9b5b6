import { permit } from '../../../calls/caller.ts'
import type { AppEnvStatus, Health } from '../../../domain/app-env.ts'
import type { RecordedEvent } from '../../../storage/events/event.ts'
import { builder } from '../builder.ts'
import { follow, type Message } from '../subscriptions/follow.ts'
import { loadOnce } from '../subscriptions/shared-load.ts'
import { AppEnv, addressArgs, addressOf } from './app-env.ts'
import { AppEnvStatusEnum, HealthEnum } from './enums.ts'
import { afterArg, messageFields } from './event.ts'

interface State {
  appEnvId: string
  /** Null when only an event is known that says nothing of it. */
  status: AppEnvStatus | null
  health: Health | null
}

const AppEnvStatusMessage = builder.objectRef<Message<State>>('AppEnvStatusMessage').implement({
  description: 'Status and health of an environment, at first and after each change.',
  fields: (t) => ({
    ...messageFields(t),
    status: t.field({
      type: AppEnvStatusEnum,
      nullable: true,
      description: 'Status after the event; null while a resumed subscription does not know the status yet.',
      resolve: ({ state }) => state.status,
    }),
    health: t.field({
      type: HealthEnum,
      nullable: true,
      description: 'Health after the event; null while a resumed subscription does not know the health yet.',
      resolve: ({ state }) => state.health,
    }),
    appEnv: t.prismaField({
      type: AppEnv,
      nullable: true,
      description: 'Environment at the time of the message; null once the environment is deleted.',
      resolve: (query, { event, state }, _args, { services, caller }) =>
        event?.type === 'appEnv.deleted'
          ? null
          : loadOnce(event, state.appEnvId, query, () =>
              services.appEnvs.observe(caller, { appEnvId: state.appEnvId }, query),
            ),
    }),
  }),
})

builder.subscriptionField('appEnvStatusChanged', (t) =>
  t.field({
    type: AppEnvStatusMessage,
    description: 'The status and health of an environment. One of the first two arguments is required.',
    args: {
      ...addressArgs(t.arg),
      after: afterArg(t.arg),
    },
    async subscribe(_root, { appEnvId, envName, after }, context) {
      const { services, caller } = context
      const address = addressOf({ appEnvId, envName })
      const { id, accountId } = await services.appEnvs.observe(caller, address)
      return follow<State>(context, {
        eventSequenceId: accountId,
        after,
        permit: (present) => permit(present, 'appEnv:observe', { accountId, appEnvId: id }),
        concerns: (event) => event.appEnvId === id && event.type.startsWith('appEnv.'),
        present: async () => {
          const { status, health } = await services.appEnvs.observe(caller, { appEnvId: id })
          return { appEnvId: id, status, health }
        },
        next: (state, event) => stateAfter(state ?? { appEnvId: id, status: null, health: null }, event),
        isLast: (_state, event) => event?.type === 'appEnv.deleted',
      })
    },
    resolve: (message) => message,
  }),
)

/** Events carry what they changed, so that a thousand subscribers cause no reads. */
function stateAfter(state: State, { type, payload }: RecordedEvent): State {
  if (type === 'appEnv.statusChanged' || type === 'appEnv.created')
    return { ...state, status: payload.status as AppEnvStatus }
  if (type === 'appEnv.healthChanged') return { ...state, health: payload.health as Health }
  return state
}
