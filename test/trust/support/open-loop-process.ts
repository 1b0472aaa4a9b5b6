// A client in a process of its own: node open-loop-process.ts <ingress URL> <host>
import { Agent, request } from 'node:http'

const [ingressUrl = '', host = ''] = process.argv.slice(2)
const EVERY_MS = 10
const TIMEOUT_MS = 30_000

export interface OpenLoopReport {
  requests: number
  /** What went wrong, once for each failed request. */
  failures: string[]
  p50Ms: number
  p99Ms: number
}

const agent = new Agent({ keepAlive: true })
let finish = () => {}
process.on('message', (order: 'begin' | 'end') => (order === 'begin' ? void measure() : finish()))
process.on('disconnect', () => process.exit())

/**
 * One request every 10 ms, whether or not earlier ones are answered. Each is timed from when it was due: a client that
 * waits for a slow answer before it asks again would leave out the requests that suffer most.
 */
async function measure(): Promise<void> {
  const asked: Promise<string | null>[] = []
  const latencies: number[] = []
  const start = performance.now()
  const sendDue = () => {
    for (let due = start + asked.length * EVERY_MS; due <= performance.now(); due += EVERY_MS) {
      asked.push(ask().finally(() => latencies.push(performance.now() - due)))
    }
  }
  const timer = setInterval(sendDue, 1)
  await new Promise<void>((resolve) => {
    finish = resolve
  })
  clearInterval(timer)
  const failures = (await Promise.all(asked)).filter((failure) => failure !== null)
  latencies.sort((a, b) => a - b)
  const percentile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? 0
  const report: OpenLoopReport = { requests: asked.length, failures, p50Ms: percentile(0.5), p99Ms: percentile(0.99) }
  process.send?.(report)
}

/** What went wrong, or null. */
function ask(): Promise<string | null> {
  return new Promise((resolve) => {
    const asking = request(ingressUrl, { headers: { host }, agent, timeout: TIMEOUT_MS }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode === 200 ? null : `status ${response.statusCode}`))
      response.once('error', (error) => resolve(error.message))
    })
    asking.once('timeout', () => asking.destroy(new Error('no answer')))
    asking.once('error', (error) => resolve(error.message))
    asking.end()
  })
}
