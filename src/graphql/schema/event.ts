import { cursorOf } from '../../events/cursor.ts'
import type { EventType, RecordedEvent } from '../../events/event.ts'
import { builder } from '../builder.ts'

/** What happened, for each kind of event. A new kind does not compile until it is described here. */
const MEANING = {
  'account.created': 'An account was created.',
  'account.updated': 'An account was changed.',
  'account.deleted': 'An account was deleted.',
  'app.created': 'An app was created.',
  'app.updated': 'An app was changed.',
  'app.deleted': 'An app was deleted.',
  'appEnv.created': 'An environment was created.',
  'appEnv.updated': 'An environment was changed.',
  'appEnv.deleted': 'An environment was deleted.',
  'appEnv.statusChanged': 'An environment has another status.',
  'appEnv.healthChanged': 'What runs in an environment is healthier or less healthy than before.',
  'appEnv.containersRestarted': 'Containers of an environment were found dead by a probe, and are started anew.',
  'host.changed': 'A custom host was added, validated, found invalid or removed.',
  'volume.deleted': 'A volume was deleted, with its data.',
  'operation.queued': 'An operation was asked for.',
  'operation.started': 'A worker has begun an operation.',
  'operation.progressed': 'A step of an operation has begun or ended.',
  'operation.retrying': 'An attempt of an operation failed, and another will follow.',
  'operation.succeeded': 'An operation did what it was asked.',
  'operation.failed': 'An operation has failed.',
  'operation.cancelled': 'An operation was cancelled.',
  'member.changed': 'A member was added, changed or removed.',
  'token.created': 'A token was created.',
  'token.revoked': 'A token was revoked.',
  'credential.changed': 'A credential was created, changed or removed.',
} as const satisfies Record<EventType, string>

/** `appEnv.statusChanged` → `APP_ENV_STATUS_CHANGED`. */
const nameOf = (type: string) => type.replaceAll('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase()

const EventTypeEnum = builder.enumType('EventType', {
  description: 'What happened.',
  values: Object.fromEntries(
    Object.entries(MEANING).map(([value, description]) => [nameOf(value), { value: value as EventType, description }]),
  ),
})

export const Event = builder.objectRef<RecordedEvent>('Event').implement({
  description: 'Something that happened, as the account’s event log keeps it.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Its place in the log: send it as `after` to go on behind it.',
      resolve: ({ sequence }) => cursorOf(sequence),
    }),
    type: t.field({ type: EventTypeEnum, description: 'What happened.', resolve: (event) => event.type as never }),
    appId: t.exposeID('appId', { nullable: true, description: 'The app that it is about.' }),
    appEnvId: t.exposeID('appEnvId', { nullable: true, description: 'The environment that it is about.' }),
    operationId: t.exposeID('operationId', { nullable: true, description: 'The operation that it is about.' }),
    payload: t.expose('payload', { type: 'JSON', description: 'What there is to know besides; never a secret.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
})
