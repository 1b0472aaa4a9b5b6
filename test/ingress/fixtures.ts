import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createIngress, type Ingress, type IngressOptions } from '../../src/ingress/ingress.ts'
import { CurrentTable, type Route, RouteTable, type Target } from '../../src/ingress/routes/route-table.ts'

export const HOST = 'default-shop-production.berth.localhost'

export interface Replica {
  target: Target
  server: NetServer
  requests: number
  close(): Promise<void>
}

let replicas = 0

/** A container's stand-in: a real HTTP server on loopback. */
export async function startReplica(listener: RequestListener, options: http.ServerOptions = {}): Promise<Replica> {
  const server = http.createServer(options)
  const replica = await listening(server)
  server.on('request', (request, response) => {
    replica.requests += 1
    listener(request, response)
  })
  return replica
}

/** A replica that speaks whatever the test writes to the socket. */
export async function startRawReplica(onConnection: (socket: Socket) => void): Promise<Replica> {
  const server = createServer({ allowHalfOpen: true })
  const replica = await listening(server)
  server.on('connection', (socket) => {
    replica.requests += 1
    socket.on('error', () => {})
    onConnection(socket)
  })
  return replica
}

async function listening(server: NetServer): Promise<Replica> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    const closed = server.listening ? once(server, 'close') : null
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  onTestFinished(close)
  replicas += 1
  const { port } = server.address() as AddressInfo
  return { target: { name: `replica-${replicas}`, address: '127.0.0.1', port }, server, requests: 0, close }
}

/** An address where nothing listens. */
export async function deadTarget(): Promise<Target> {
  const replica = await startRawReplica(() => {})
  await replica.close()
  return replica.target
}

export const routeTo = (targets: Target[], changes: Partial<Route> = {}): Route => ({
  host: HOST,
  appEnvId: 'env_1',
  cliEnvName: 'default-shop-production',
  status: 'RUNNING',
  hasDeployment: true,
  targets,
  ...changes,
})

export interface TestIngress extends Ingress {
  port: number
  source: CurrentTable
  registry: Registry
  route(targets: Target[], changes?: Partial<Route>): void
}

export async function startIngress(
  routes: Route[] | null,
  environment: NodeJS.ProcessEnv = {},
  capacity?: IngressOptions['capacity'],
  source = new CurrentTable(),
): Promise<TestIngress> {
  if (routes) source.replace(new RouteTable(routes))
  const registry = new Registry()
  const config = readConfig({ ...environment, INGRESS_PORT: '0' })
  const ingress = createIngress({ config, source, log: pino({ level: 'silent' }), registry, capacity })
  await ingress.listen()
  onTestFinished(() => ingress.close(0))
  const route = (targets: Target[], changes?: Partial<Route>) =>
    source.replace(new RouteTable([routeTo(targets, changes)]))
  return { ...ingress, port: ingress.address().port, source, registry, route }
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  trailers: NodeJS.Dict<string>
}

export interface Ask {
  method?: string
  path?: string
  host?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  agent?: http.Agent
}

/** One request of a client, on a connection of its own unless an agent is given. */
export function ask(
  port: number,
  { method = 'GET', path = '/', host = HOST, headers, body, agent }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers: { host, ...headers }, agent: agent ?? false }
    const request = http.request(options, async (response) => {
      response.setEncoding('utf8')
      let text = ''
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text,
          trailers: response.trailers,
        }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}

const FIRST_ANSWER_MS = 5_000

/** Writes bytes as they are and reads until the other end closes, or has been silent for a while. */
export async function talk(port: number, text: string, silenceMs = 600): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  // A busy machine takes its time until it begins to answer.
  socket.setTimeout(Math.max(FIRST_ANSWER_MS, silenceMs), () => socket.destroy())
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
    socket.setTimeout(silenceMs)
  })
  socket.on('error', () => {})
  socket.write(text, 'latin1')
  await once(socket, 'close')
  return answer
}

/** Waits until the claim holds. */
export async function eventually(claim: () => boolean, ms = 20_000): Promise<void> {
  const deadline = performance.now() + ms
  while (!claim()) {
    if (performance.now() > deadline) throw new Error('It did not come about in time')
    await sleep(10)
  }
}
