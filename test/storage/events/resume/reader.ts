import { setTimeout as sleep } from 'node:timers/promises'
import { pick, randomFrom } from '../../../crash/harness/random.ts'
import { type Arrived, overEvents, overWebSocket } from './transports.ts'

const MAX_STAY_EVENTS = 40
const MAX_STAY_MS = 400
const STALLED_MS = 20_000
const TRANSPORTS = [overWebSocket, overEvents]

export interface Reading {
  seed: number
  /** The api processes as they are now; one may be replaced meanwhile. */
  urls: () => readonly string[]
  token: string
  accountId: string
  /** The last cursor there will be, once it is known. */
  last: () => string | null
}

export interface Read {
  accountId: string
  arrived: Arrived[]
  connections: number
}

/** Reads an event sequence from beginning to end, over connections that are cut at random, and resumes by cursor. */
export async function readEvents({ seed, urls, token, accountId, last }: Reading): Promise<Read> {
  const random = randomFrom(seed)
  const arrived: Arrived[] = []
  const position = () => arrived.at(-1)?.cursor ?? '0'
  let connections = 0
  let movedAt = performance.now()

  while (position() !== last()) {
    if (performance.now() - movedAt > STALLED_MS) throw new Error(`A reader of ${accountId} stays at ${position()}`)
    let stay = 1 + Math.floor(random() * MAX_STAY_EVENTS)
    const { leave, ended } = pick(
      random,
      TRANSPORTS,
    )({
      url: pick(random, urls()),
      token,
      accountId,
      after: position(),
      onArrival(one) {
        if (stay === 0) return
        arrived.push(one)
        movedAt = performance.now()
        stay -= 1
        if (stay === 0) leave()
      },
    })
    connections += 1
    const late = setTimeout(leave, random() * MAX_STAY_MS)
    await ended
    clearTimeout(late)
    // A process that was killed refuses connections at once.
    await sleep(random() * 20)
  }
  return { accountId, arrived, connections }
}
