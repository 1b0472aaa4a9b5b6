import { connect } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { RawCase } from './raw-cases.ts'
import { leakIn, SLOWEST_MS } from './verdict.ts'

export interface RawOutcome {
  /** What is wrong; null for nothing. */
  fault: string | null
  /** Statuses of the answers, in order. */
  statuses: number[]
  /** It took longer than anything may take on a machine that is not busy. */
  isSlow?: boolean
}

const TIMEOUT_MS = 8_000
const SILENCE_MS = 250

/** Sends the bytes, says that there are no more, and waits until the other side has closed too. */
export async function sendRaw(port: number, { bytes, pieces, cuts }: RawCase): Promise<RawOutcome> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // Whoever refuses early closes while the rest is still being sent.
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const ended = new Promise<void>((resolve) => socket.once('end', resolve))
  let from = 0
  for (const size of pieces) {
    socket.write(bytes.subarray(from, from + size))
    from += size
    await setImmediate()
  }
  if (cuts) {
    socket.write(bytes.subarray(from), () => socket.resetAndDestroy())
    await closed
    return { fault: null, statuses: [] }
  }
  socket.write(bytes.subarray(from))
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()))
  // A server that waits for more has to learn that there is none; but at once, Node would abort its answer.
  await Promise.race([answered, ended, closed, setTimeout(SILENCE_MS, undefined, { ref: false })])
  const since = performance.now()
  socket.end()
  await Promise.race([ended, closed, setTimeout(TIMEOUT_MS, undefined, { ref: false })])
  const ms = performance.now() - since
  socket.destroy()
  return judged(Buffer.concat(chunks).toString('latin1'), ms, bytes.toString('latin1'))
}

function judged(text: string, ms: number, sent: string): RawOutcome {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
  if (ms > SLOWEST_MS) return { fault: `hung for ${Math.round(ms)} ms`, statuses, isSlow: true }
  const bad = statuses.find((status) => status >= 500 && status !== 505)
  if (bad) return { fault: `status ${bad}`, statuses }
  if (text !== '' && !text.startsWith('HTTP/1.1 ')) return { fault: 'answers no HTTP', statuses }
  const leak = leakIn(text, sent)
  return { fault: leak ? `tells "${leak}"` : null, statuses }
}
