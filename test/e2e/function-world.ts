import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../../src/config/config.ts'
import { startPlatform } from '../../src/platform/platform.ts'
import type { TestPlatform } from './platform.ts'

/**
 * /slow?ms=… answers late, /hang never, /count how often and how many at a time it was asked, /upload how much it got;
 * an upgrade is echoed. BROKEN=exit: ends at once.
 */
const PROGRAM = `
const { createServer } = require('node:http')
if (process.env.BROKEN === 'exit') { console.error('cannot open the safe'); process.exit(3) }
let asked = 0, now = 0, most = 0
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://x')
  asked += 1; now += 1; most = Math.max(most, now)
  response.once('close', () => { now -= 1 })
  if (url.pathname === '/hang') return
  if (url.pathname === '/count') return void response.end(JSON.stringify({ asked, most }))
  if (url.pathname === '/upload') {
    let bytes = 0
    const hash = require('node:crypto').createHash('sha256')
    request.on('data', (chunk) => { bytes += chunk.length; hash.update(chunk) })
    request.on('end', () => response.end(JSON.stringify({ bytes, sha256: hash.digest('hex') })))
    return
  }
  setTimeout(() => response.end(process.env.HOSTNAME), Number(url.searchParams.get('ms') ?? 0))
})
server.on('upgrade', (request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n')
  socket.on('error', () => {})
  socket.pipe(socket)
})
server.listen(Number(process.env.PORT))
process.on('SIGTERM', () => process.exit(0))
`

export interface FunctionApp {
  appEnvId: string
  host: string
}

export interface Status {
  status: string
  health: string
  sleeping: boolean
  sleepDepth: string | null
  sleepReason: string | null
  sleepingSince: string | null
  replicas: { desired: number; running: number; ready: number }
}

/** An app of the type that sleeps, deployed and awake. */
export async function createFunction(
  berth: TestPlatform,
  name: string,
  functionConfig: object,
  envVars: { name: string; value: string }[] = [],
): Promise<FunctionApp> {
  const { accounts } = await berth.ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  const accountId = accounts[0]?.accountId ?? ''
  const app = { name, accountId, port: 3000, dockerPreset: 'FUNCTION' }
  const { appId } = await berth.ok<{ appId: string }>('POST', '/app', app)
  const startupConfig = { command: 'node', args: ['-e', PROGRAM], shell: false }
  const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig, functionConfig, envVars }
  const { appEnvId } = await berth.ok<{ appEnvId: string }>('POST', '/app-env', appEnv)
  const { hosts } = await berth.ok<{ hosts: string[] }>('GET', `/app-env?appEnvId=${appEnvId}`)
  const deployed = await berth.ok(
    'POST',
    '/app-env/deploy-image',
    { appEnvId, image: berth.image },
    { Prefer: 'wait=120' },
  )
  if (deployed.success !== true) throw new Error(`It was not deployed: ${JSON.stringify(deployed)}`)
  return { appEnvId, host: hosts[0] ?? '' }
}

export const statusOf = (berth: TestPlatform, appEnvId: string) =>
  berth.ok<Status>('GET', `/app-env/status?appEnvId=${appEnvId}`)

/** Another ingress process, as far as the database can tell. */
export async function startSecondIngress(berth: TestPlatform, settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-e2e-'))
  const config = readConfig({
    ...{ BERTH_ROLES: 'ingress', PORT: '0', INGRESS_PORT: '0', DATABASE_URL: berth.databaseUrl },
    ...{ BERTH_DATA_DIR: dataDir, BERTH_LOG_LEVEL: 'fatal', BERTH_TCP_PORTS: 'off' },
    ...settings,
  })
  const platform = await startPlatform(config, pino({ level: config.BERTH_LOG_LEVEL }))
  return {
    url: platform.ingressUrl ?? '',
    async stop() {
      await platform.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export interface Answer {
  status: number
  body: string
  headers: http.IncomingHttpHeaders
}

/** A request on a connection of its own. */
export function request(url: string, host: string, path = '/', body: Buffer | null = null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: { host }, method: body ? 'POST' : 'GET' }
    const asked = http.request(new URL(path, url), options, async (response) => {
      response.on('error', reject)
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers })
    })
    asked.once('error', reject)
    asked.end(body ?? undefined)
  })
}

/** A tunnel that stays open until it is closed. */
export function openTunnel(url: string, host: string): Promise<{ say(text: string): Promise<string>; close(): void }> {
  return new Promise((resolve, reject) => {
    const headers = { host, connection: 'upgrade', upgrade: 'echo' }
    const asked = http.request(new URL(url), { agent: false, headers })
    asked.once('error', reject)
    asked.once('response', ({ statusCode }) => reject(new Error(`It was answered with ${statusCode}`)))
    asked.once('upgrade', (_response, socket) => {
      socket.on('error', () => {})
      const say = (text: string) =>
        new Promise<string>((heard) => {
          socket.once('data', (chunk: Buffer) => heard(chunk.toString()))
          socket.write(text)
        })
      resolve({ say, close: () => socket.destroy() })
    })
    asked.end()
  })
}
