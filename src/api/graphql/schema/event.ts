import { event, eventType } from '../../../services/event/event-fields.ts'
import { cursorOf } from '../../../storage/events/cursor.ts'
import type { EventType, RecordedEvent } from '../../../storage/events/event.ts'
import { builder } from '../builder.ts'
import { recordFields, relationOf } from '../derive/resource-fields.ts'

// A new kind of event does not compile until it is described.
eventType.values satisfies Record<EventType, string>

export const Event = builder.objectRef<RecordedEvent>('Event').implement({
  description: event.description,
  fields: (t) => ({
    cursor: t.string({ ...relationOf(event, 'cursor'), resolve: ({ sequence }) => cursorOf(sequence) }),
    ...recordFields(t, event.name, event.fields),
  }),
})
