import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Opening, Receipt } from './client.ts'
import type { Holding } from './gauge.ts'

const EVENTS = 20
/** Longer than a pool keeps an idle connection to the database. */
const IDLE_MS = 20_000

/** One of the servers that are compared. */
export interface Subject {
  child: ChildProcess
  opening: Omit<Opening['open'], 'count'>
  /** Creates one event; returns its start time, in milliseconds since 1970. */
  publish(): Promise<number>
}

export interface Measured {
  heapPerSubscriber: number
  /** The growth of the process. Only the first round counts: afterwards it has the memory already. */
  residentPerSubscriber: number
  p50: number
  p99: number
  /** What remains after all clients have left, compared with the time before. */
  left: { heap: number; resources: string[] }
}

export const now = () => performance.timeOrigin + performance.now()

/** Opens this many subscribers in a process of their own, sends them all some events, and closes them. */
export async function measure({ child, opening, publish }: Subject, count: number): Promise<Measured> {
  const client = fork(join(import.meta.dirname, 'client.ts'))
  try {
    const before = await holding(child)
    client.send({ open: { ...opening, count } } satisfies Opening)
    await awaitMessage(client, 'opened')
    const open = await holding(child)
    const times: number[] = []
    for (let event = 0; event < EVENTS; event += 1) {
      const received = once(client, 'message') as Promise<[Receipt]>
      const since = await publish()
      for (const at of (await received)[0].at) times.push(at - since)
    }
    client.send('close')
    await awaitMessage(client, 'closed')
    const after = await heldAfter(child, before)
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
    return {
      heapPerSubscriber: (open.heap + open.external - before.heap - before.external) / count,
      residentPerSubscriber: (open.rss - before.rss) / count,
      p50: at(0.5),
      p99: at(0.99),
      left: { heap: after.heap - before.heap, resources: grown(before.resources, after.resources) },
    }
  } finally {
    client.kill()
  }
}

async function awaitMessage(client: ChildProcess, word: string): Promise<void> {
  const [said] = await once(client, 'message')
  if (said !== word) throw new Error(`The subscribers said ${JSON.stringify(said)} instead of ${word}`)
}

async function holding(child: ChildProcess): Promise<Holding> {
  child.send('measure')
  const [held] = await once(child, 'message')
  return held
}

/** Memory that is still held once idle connections to the database have been closed, if nothing else is left. */
async function heldAfter(child: ChildProcess, before: Holding): Promise<Holding> {
  const deadline = now() + IDLE_MS
  let held = await holding(child)
  while (grown(before.resources, held.resources).length > 0 && now() < deadline) held = await holding(child)
  return held
}

function grown(before: Record<string, number>, after: Record<string, number>): string[] {
  return Object.entries(after).flatMap(([kind, count]) =>
    count > (before[kind] ?? 0) ? [`${kind} +${count - (before[kind] ?? 0)}`] : [],
  )
}
