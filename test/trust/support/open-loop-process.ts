// A client in a process of its own: node open-loop-process.ts <URL> <host> [authorization] [every so many ms] [own address]
import { Agent, request } from 'node:http'

const [url = '', host = '', authorization, every = '10', localAddress] = process.argv.slice(2)
const headers = authorization === undefined ? { host } : { host, authorization }
const EVERY_MS = Number(every)
const TIMEOUT_MS = 30_000
const from = localAddress === undefined ? {} : { localAddress }

export interface OpenLoopReport {
  requests: number
  /** What went wrong, once for each failed request. */
  failures: string[]
  p50Ms: number
  p99Ms: number
  /** When the slowest hundredth were due, counted from the beginning. */
  slowest: { atMs: number; tookMs: number }[]
}

const agent = new Agent({ keepAlive: true })
let finish = () => {}
process.on('message', (order: 'begin' | 'end') => (order === 'begin' ? void measure() : finish()))
process.on('disconnect', () => process.exit())

/**
 * One request every so often, whether or not earlier ones are answered. Each is timed from when it was due: a client that
 * waits for a slow answer before it asks again would leave out the requests that suffer most.
 */
async function measure(): Promise<void> {
  const asked: Promise<string | null>[] = []
  const answered: { atMs: number; tookMs: number }[] = []
  const start = performance.now()
  const sendDue = () => {
    for (let due = start + asked.length * EVERY_MS; due <= performance.now(); due += EVERY_MS) {
      asked.push(ask().finally(() => answered.push({ atMs: due - start, tookMs: performance.now() - due })))
    }
  }
  const timer = setInterval(sendDue, 1)
  await new Promise<void>((resolve) => {
    finish = resolve
  })
  clearInterval(timer)
  const failures = (await Promise.all(asked)).filter((failure) => failure !== null)
  answered.sort((a, b) => a.tookMs - b.tookMs)
  const place = (share: number) => Math.ceil(answered.length * share) - 1
  const percentile = (share: number) => answered[place(share)]?.tookMs ?? 0
  const slowest = answered.slice(place(0.99))
  const report = { requests: asked.length, failures, p50Ms: percentile(0.5), p99Ms: percentile(0.99), slowest }
  process.send?.(report satisfies OpenLoopReport)
}

/** What went wrong, or null. */
function ask(): Promise<string | null> {
  return new Promise((resolve) => {
    const asking = request(url, { ...from, headers, agent, timeout: TIMEOUT_MS }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode === 200 ? null : `status ${response.statusCode}`))
      response.once('error', (error) => resolve(error.message))
    })
    asking.once('timeout', () => asking.destroy(new Error('no answer')))
    asking.once('error', (error) => resolve(error.message))
    asking.end()
  })
}
