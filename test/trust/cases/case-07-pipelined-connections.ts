import { connect } from 'node:net'
import { askApp, type RunningApp, runningApp } from '../support/running-app.ts'
import type { FreshBerth, TrustCase } from '../trust-case.ts'

const PIPELINED = 1_000
const PER_REPLICA = 20
const CLIENTS = 60
const PROBES = 1
const MAX_OTHERS_MS = 1_500

/** Holds every request of /held for a while, and says how many connections it has had at once at most. */
const PROGRAM = `
let open = 0, most = 0
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/most') { const said = most; most = open; return response.end(String(said)) }
  setTimeout(() => response.end('ok'), request.url === '/held' ? 4000 : 0)
})
server.on('connection', (socket) => { most = Math.max(most, ++open); socket.on('close', () => { open -= 1 }) })
server.listen(3000)
process.on('SIGTERM', () => process.exit(0))`
const NEIGHBOUR = `require('node:http').createServer((_, response) => response.end('ok')).listen(3000)
process.on('SIGTERM', () => process.exit(0))`

export const trustCase: TrustCase = {
  number: 7,
  title: 'Connections to apps are capped per client, replica and process, and the reason is honest',
  settings: { BERTH_INGRESS_CONNECTIONS_PER_REPLICA: String(PER_REPLICA), BERTH_INGRESS_QUEUE_SECONDS: '1' },
  async run(berth) {
    const [app, neighbour] = [await runningApp(berth, PROGRAM), await runningApp(berth, NEIGHBOUR)]
    await askApp(berth, app, '/most')
    const stop = pipeline(berth, app)
    const during = await slowestOf(berth, neighbour, 20)
    const most = Number((await askApp(berth, app, '/most')).body)
    stop()
    if (most > 3) throw new Error(`${PIPELINED} pipelined requests opened ${most} connections`)

    const held = Promise.all(Array.from({ length: CLIENTS }, () => askApp(berth, app, '/held')))
    const underLoad = await slowestOf(berth, neighbour, 20)
    const refused = (await held).filter(({ status }) => status !== 200)
    const reasons = [...new Set(refused.map(({ status, error }) => `${status} ${error}`))].join()
    if (reasons !== '503 TOO_MANY_CONNECTIONS')
      throw new Error(`${refused.length} clients were refused with ${reasons}`)
    const maxHeld = Number((await askApp(berth, app, '/most')).body)
    // The worker's probe has a connection of its own.
    if (maxHeld > PER_REPLICA + PROBES)
      throw new Error(`A replica got ${maxHeld} connections, of ${PER_REPLICA} allowed`)
    const slowest = Math.max(during, underLoad)
    if (slowest > MAX_OTHERS_MS) throw new Error(`A neighbour's answer took ${slowest} ms`)
    return `${PIPELINED} pipelined requests opened ${most} connections; of ${CLIENTS} clients ${refused.length} got ${reasons}, the replica had ${maxHeld} at once; a neighbour's slowest ${slowest} ms`
  },
}

/** One connection that sends everything at once and waits for nothing. Returns how to end it. */
function pipeline({ ingressUrl }: FreshBerth, { host }: RunningApp): () => void {
  const { hostname, port } = new URL(ingressUrl)
  const client = connect(Number(port), hostname)
  client.on('error', () => {})
  client.resume()
  client.write(`GET /held HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(PIPELINED))
  return () => client.destroy()
}

async function slowestOf(berth: FreshBerth, app: RunningApp, times: number): Promise<number> {
  let slowest = 0
  for (let count = 0; count < times; count += 1) {
    const { status, ms } = await askApp(berth, app, '/')
    if (status !== 200) throw new Error(`A neighbour's request was answered with ${status}`)
    slowest = Math.max(slowest, Math.round(ms))
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  return slowest
}
