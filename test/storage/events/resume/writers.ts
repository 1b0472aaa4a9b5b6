import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../../../../src/storage/database/client.ts'
import { record } from '../../../../src/storage/events/record.ts'
import { pick, randomFrom } from '../../../crash/harness/random.ts'

const MAX_EVENTS_AT_ONCE = 3
const ROLLED_BACK = 0.1
const MAX_PAUSE_MS = 12

export interface Written {
  /** The text of every event that was committed, by event sequence, in no order. */
  committed: Map<string, string[]>
  rolledBack: number
  /** How often one session's transaction was committed before another that had begun earlier. */
  overtaken: number
}

interface Writing {
  databaseUrl: string
  seed: number
  sessions: number
  /** Events altogether. */
  count: number
  eventSequenceIds: readonly string[]
}

/**
 * Writes events by sessions of their own, whose transactions sleep before they record and before they commit, so that
 * they commit in another order than they began in; some take everything back at the last moment.
 */
export async function writeEvents({ databaseUrl, seed, sessions, count, eventSequenceIds }: Writing): Promise<Written> {
  const written: Written = { committed: new Map(eventSequenceIds.map((id) => [id, []])), rolledBack: 0, overtaken: 0 }
  let left = count
  let begun = 0
  let lastCommitted = 0

  async function session(number: number): Promise<void> {
    const random = randomFrom(seed * 1000 + number)
    const nap = () => sleep(random() * MAX_PAUSE_MS)
    const database = createDatabase({ url: databaseUrl, poolSize: 1 })
    try {
      for (let turn = 0; left > 0; turn += 1) {
        const eventSequenceId = pick(random, eventSequenceIds)
        const size = Math.min(left, 1 + Math.floor(random() * MAX_EVENTS_AT_ONCE))
        const texts = Array.from({ length: size }, (_, index) => `${number}-${turn}-${index}`)
        const takesBack = random() < ROLLED_BACK
        if (!takesBack) left -= size
        begun += 1
        const position = begun
        const committing = database.$transaction(async (tx) => {
          await nap()
          const events = texts.map((text) => ({ type: 'app.updated' as const, payload: { text } }))
          await record(tx, eventSequenceId, events)
          await nap()
          if (takesBack) throw new TakenBack()
        })
        if (await committing.then(() => true, ignoreTakenBack)) {
          if (position < lastCommitted) written.overtaken += 1
          lastCommitted = Math.max(lastCommitted, position)
          written.committed.get(eventSequenceId)?.push(...texts)
        } else written.rolledBack += 1
      }
    } finally {
      await database.$disconnect()
    }
  }

  await Promise.all(Array.from({ length: sessions }, (_, number) => session(number)))
  return written
}

class TakenBack extends Error {}

function ignoreTakenBack(error: unknown): false {
  if (error instanceof TakenBack) return false
  throw error
}
