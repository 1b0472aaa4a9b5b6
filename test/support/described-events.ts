import { z } from 'zod'
import { EVENT_PAYLOADS } from '../../src/services/webhook/event-payloads.ts'
import type { Database } from '../../src/storage/database/client.ts'

/** Fields of events that tests of the event sequence itself make up. */
const MADE_UP = ['number', 'text', 'padding']

const strict = Object.fromEntries(
  Object.entries(EVENT_PAYLOADS).map(([type, { type: payload }]) => [type, z.strictObject(payload.shape)]),
)

/** Throws unless the payload of every event that a test has recorded is as webhooks are documented: one of each shape. */
export async function expectDescribedEvents(database: Database): Promise<void> {
  const events = await database.$queryRaw<{ type: string; payload: object }[]>`
    SELECT DISTINCT ON (type, ARRAY(SELECT jsonb_object_keys(payload))) type, payload FROM event`
  const wrong = events.flatMap(({ type, payload }) => {
    if (MADE_UP.some((field) => Object.hasOwn(payload, field))) return []
    const { error } = strict[type]?.safeParse(payload) ?? { error: new Error('is no documented type') }
    return error ? [`${type} ${JSON.stringify(payload)}: ${error.message}`] : []
  })
  if (wrong.length > 0) throw new Error(`Events that are not as documented (event-payloads.ts):\n${wrong.join('\n')}`)
}
