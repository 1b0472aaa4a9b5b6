import type { RecordOf } from '../../../calls/resource.ts'
import { event, eventType } from '../../../services/event/event-fields.ts'
import { cursorOf } from '../../../storage/events/cursor.ts'
import type { EventType } from '../../../storage/events/event.ts'
import type { builder } from '../builder.ts'
import type { ArgBuilder } from '../derive/arguments.ts'
import { recordType } from '../derive/resource-fields.ts'
import type { Message } from '../subscriptions/follow.ts'

// A new kind of event does not compile until it is described.
eventType.values satisfies Record<EventType, string>

const Event = recordType<RecordOf<typeof event.answer>>(event)

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
    resolve: ({ event }) => event && ({ ...event, cursor: cursorOf(event.sequence) } as never),
  }),
})

/** Of subscriptions that can be continued. */
export const afterArg = (arg: ArgBuilder) =>
  arg.string({ description: 'Cursor to continue after. The first answer is then what followed the cursor.' })
