import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Database } from '../../src/storage/database/client.ts'
import { type ApiProcess, createFleet } from '../support/api-process.ts'
import { freePort } from '../support/free-ports.ts'

const MAX_CONNECTIONS = 50
const PORTS_TRIED = 50

interface Counts {
  attempts: number
  open: number
  refused: number
  maxOpen: number
}

export interface Measured {
  requests: number
  failed: number
  p50Ms: number
  p99Ms: number
}

export interface FloodResult {
  quiet: { api: Measured; app: Measured }
  flooded: { api: Measured; app: Measured }
  flood: Counts
  /** Connections that the service had at once. */
  reached: number
  /** Whether a connection from before the flood still works after it. */
  isKept: boolean
  refusedInMetrics: number
}

/**
 * One process with the API and the ingress, which is worse than `npm start` with one for each. Meanwhile many
 * connections to the port of a service are opened at once, and the API and an app are asked as before.
 */
export async function flood(databaseUrl: string, { atOnce, seconds }: { atOnce: number; seconds: number }) {
  const database = createDatabase({ url: databaseUrl, poolSize: 2 })
  const service = await startService()
  const app = createServer((_request, response) => response.end('ok'))
  await once(app.listen(0, '127.0.0.1'), 'listening')
  const ingressPort = await freePort()
  const fleet = createFleet({
    databaseUrl,
    settings: { BERTH_ROLES: 'api,ingress', INGRESS_PORT: `${ingressPort}`, BERTH_RATE_LIMIT: '1000000' },
  })
  let flooder: ChildProcess | null = null
  try {
    const berth = await fleet.start()
    const { host, port, appEnvId } = await prepare(berth, database, { app, service: service.server })
    const askBoth = () => ({
      api: measure(`${berth.url}/api/public/v1/app-env?appEnvId=${appEnvId}`, { authorization: berth.token }, seconds),
      app: measure(`http://127.0.0.1:${ingressPort}/`, { host }, seconds),
    })
    const kept = await keptConnection(port)
    const quiet = await both(askBoth())
    flooder = fork(join(import.meta.dirname, 'flooder.ts'), [`${port}`, `${atOnce}`])
    const counts = followed(flooder)
    while (counts().attempts < atOnce) await sleep(20)
    const flooded = await both(askBoth())
    const isKept = await kept.echoes()
    const text = await (await fetch(`${berth.url}/metrics`, { headers: { authorization: berth.token } })).text()
    const refused = [...text.matchAll(/berth_ingress_tcp_refused_total\{[^}]*\} (\d+)/g)]
    const refusedInMetrics = refused.reduce((sum, [, count]) => sum + Number(count), 0)
    return { quiet, flooded, flood: counts(), reached: service.most(), isKept, refusedInMetrics } satisfies FloodResult
  } finally {
    flooder?.kill()
    await fleet.stop()
    service.close()
    app.closeAllConnections()
    app.close()
    await database.$disconnect()
  }
}

async function both(asked: { api: Promise<Measured>; app: Promise<Measured> }) {
  const [api, app] = await Promise.all([asked.api, asked.app])
  return { api, app }
}

function followed(flooder: ChildProcess): () => Counts {
  let counts: Counts = { attempts: 0, open: 0, refused: 0, maxOpen: 0 }
  flooder.on('message', (message) => {
    counts = message as Counts
  })
  return () => counts
}

/** Stands for a container with a database: echoes, and counts the connections that reach it. */
async function startService() {
  const sockets = new Set<Socket>()
  let most = 0
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    most = Math.max(most, sockets.size)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    socket.pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { server, most: () => most, close }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

/** An app and a service with external access, as a worker would have deployed them. */
async function prepare(berth: ApiProcess, database: Database, upstreams: { app: Server; service: Server }) {
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${berth.url}/api/public/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: berth.token, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const { id: accountId } = await database.account.findFirstOrThrow()
  const created = async (app: object, appEnv: object) => {
    const { appId } = await call('/app', { accountId, ...app })
    const { appEnvId } = await call('/app-env', { accountId, appId, name: 'prod', region: 'local', ...appEnv })
    return appEnvId as string
  }
  const service = await created(
    { name: 'cache', appType: 'db', dockerPreset: 'REDIS' },
    { externalAccess: { enabled: true, allowedCidrs: ['127.0.0.0/8'], maxConnections: MAX_CONNECTIONS } },
  )
  const web = await created({ name: 'web', dockerPreset: 'CUSTOM', port: 80, useImage: true, image: 'nginx:1' }, {})
  await call('/app-env/deploy-image', { appEnvId: web, image: 'nginx:1' })
  await addReplica(database, service, portOf(upstreams.service))
  await addReplica(database, web, portOf(upstreams.app))
  const { host } = await database.host.findFirstOrThrow({ where: { appEnvId: web } })
  const { port } = await database.externalAccess.findUniqueOrThrow({ where: { appEnvId: service } })
  return { host, port: port ?? 0, appEnvId: service }
}

async function addReplica(database: Database, appEnvId: string, port: number): Promise<void> {
  const { id: contentId } = await database.content.findFirstOrThrow({ where: { appEnvId } })
  await database.replica.create({
    data: {
      name: appEnvId,
      appEnvId,
      contentId,
      rolloutId: 'op_1',
      index: 0,
      address: '127.0.0.1',
      port,
      state: 'READY',
    },
  })
}

async function keptConnection(port: number): Promise<{ echoes(): Promise<boolean> }> {
  for (let tried = 0; tried < PORTS_TRIED; tried += 1) {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => {})
    const echoes = async () => {
      if (!socket.write('ping')) return false
      const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
      return String(answer) === 'ping'
    }
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
    if (!socket.destroyed && (await echoes().catch(() => false))) return { echoes }
    socket.destroy()
    // The table is read within a second.
    await sleep(200)
  }
  throw new Error(`Port ${port} was not opened`)
}

async function measure(url: string, headers: Record<string, string>, seconds: number): Promise<Measured> {
  const times: number[] = []
  let failed = 0
  const ask = () =>
    new Promise<boolean>((resolve) => {
      const asked = request(url, { headers, agent: false, timeout: 30_000 }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode === 200))
      })
      asked.once('error', () => resolve(false))
      asked.once('timeout', () => asked.destroy())
      asked.end()
    })
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const since = performance.now()
    if (!(await ask())) failed += 1
    times.push(performance.now() - since)
    await sleep(10)
  }
  times.sort((one, other) => one - other)
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
  return { requests: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) }
}
