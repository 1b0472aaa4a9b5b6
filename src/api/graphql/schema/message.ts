import type { builder } from '../builder.ts'
import type { ArgBuilder } from '../derive/arguments.ts'
import type { Message } from '../subscriptions/follow.ts'
import { Event } from './event.ts'

type MessageBuilder<State> = PothosSchemaTypes.ObjectFieldBuilder<(typeof builder)['$inferSchemaTypes'], Message<State>>

/** What every message about an account's events has, whatever it is about. */
export const messageFields = <State>(t: MessageBuilder<State>) => ({
  cursor: t.string({
    description: 'Cursor of the message in the account’s event sequence. Subscriptions with `after` continue there.',
    resolve: ({ cursor }) => cursor,
  }),
  event: t.field({
    type: Event,
    nullable: true,
    description: 'Event that the message is about; null in the first message.',
    resolve: ({ event }) => event,
  }),
})

/** Of subscriptions that can be continued. */
export const afterArg = (arg: ArgBuilder) =>
  arg.string({ description: 'Cursor to continue after. The first answer is then what followed the cursor.' })
