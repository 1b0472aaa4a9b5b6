import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../../src/api/rest/routes.ts'
import { createGitHook } from '../../../src/services/git-hook/git-hook-commands.ts'
import { requestStorageKey } from '../../../src/services/upload/request-storage-key.ts'
import { ask, FormBrowser, listenTo, registerClient } from '../../support/oauth.ts'
import { createWorld, type World } from '../../support/world.ts'

/** Every route that the server has, with a body that does not end, or is of another length than it says. */
const MS = 300_000
const LIMIT_KB = 4
const CHUNK = Buffer.alloc(64 * 1024, 'a')
const CHUNKED = Buffer.concat([Buffer.from(`${CHUNK.length.toString(16)}\r\n`), CHUNK, Buffer.from('\r\n')])
/** What a connection may take in before it is answered: the largest limit of a route, and what the sockets hold. */
const MAX_TAKEN_BYTES = 3 * 1024 * 1024
/** Of four connections and of their clients, which are in this process, until garbage is collected. */
const MAX_GROWTH_BYTES = 200 * 1024 * 1024
const ANSWER_MS = 10_000
const END_MS = 5_000

let world: World
let api: Awaited<ReturnType<typeof listenTo>>
/** Addresses at which a route reads its body, with the headers that lead there. */
let reached: Map<string, Reached>
interface Reached {
  /** One for each kind of body, where each takes one at a time; the last for all others. */
  paths: readonly string[]
  headers: Record<string, string>
}

const accepted = new Map<number, Socket>()

beforeAll(async () => {
  world = await createWorld({
    settings: {
      BERTH_BODY_LIMIT_KB: String(LIMIT_KB),
      BERTH_GIT_HOOK_LIMIT_KB: '64',
      BERTH_SOURCE_LIMIT_MB: '1',
      BERTH_RATE_LIMIT: '10000000',
      BERTH_ANONYMOUS_RATE_LIMIT: '10000000',
    },
  })
  api = await listenTo(world)
  api.server.on('connection', (socket: Socket) => accepted.set(socket.remotePort ?? 0, socket))
  reached = new Map<string, Reached>([await askedConsent(), await openUpload(), await gitHook()])
})
afterAll(async () => {
  await api?.close()
  await world?.close()
})

async function askedConsent(): Promise<[string, Reached]> {
  const browser = await new FormBrowser(api.url).signIn(world.adminToken)
  const { url } = await ask(await registerClient(api.url), {})
  const { path } = await browser.go('GET', String(url), { site: 'cross-site' })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return ['POST /oauth/consent/:uid', { paths: [path], headers: { cookie } }]
}

async function openUpload(): Promise<[string, Reached]> {
  const { appEnvId } = await world.appEnv({ app: { useImage: false, image: undefined, isCliDeployment: true } })
  const paths: string[] = []
  for (const _kind of KINDS) {
    const { uploadUrl } = await world.perform(requestStorageKey, { appEnvId, fileExtension: '.zip' })
    paths.push(new URL(uploadUrl).pathname + new URL(uploadUrl).search)
  }
  return [`PUT ${paths[0]?.split('?')[0]}`, { paths, headers: {} }]
}

async function gitHook(): Promise<[string, Reached]> {
  const { path } = await world.perform(createGitHook, { accountId: world.accountId, provider: 'GITHUB', name: 'Hook' })
  return [`POST ${path.split('?')[0]}`, { paths: [path], headers: {} }]
}

const BODILESS = ['GET', 'HEAD', 'OPTIONS']

/** Each route once, with the methods that a middleware or a handler of all methods is asked with. */
function cells(): { method: string; route: string }[] {
  const all = api.routes.flatMap(({ method, path }) =>
    (method === 'ALL' ? ['GET', 'POST'] : [method]).map((one) => `${one} ${path}`),
  )
  return [...new Set(all)].map((cell) => {
    const [method = '', route = ''] = cell.split(' ')
    return { method, route }
  })
}

const KINDS = ['chunked JSON', 'chunked form', 'declared beyond the limit', 'longer than declared'] as const
type Kind = (typeof KINDS)[number]

function headOf(method: string, route: string, kind: Kind): string {
  const { paths, headers } = reached.get(`${method} ${route}`) ?? { paths: [], headers: {} }
  const path = paths[KINDS.indexOf(kind)] ?? paths.at(-1)
  const type =
    kind === 'chunked form' || route.startsWith('/oauth') ? 'application/x-www-form-urlencoded' : 'application/json'
  const length = {
    'chunked JSON': 'Transfer-Encoding: chunked',
    'chunked form': 'Transfer-Encoding: chunked',
    'declared beyond the limit': 'Content-Length: 10000000000',
    'longer than declared': 'Content-Length: 10',
  }[kind]
  const sent: Record<string, string> = {
    Host: `localhost:${api.port}`,
    Origin: api.url,
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': type,
    ...('cookie' in headers ? {} : { Authorization: world.adminToken }),
    ...headers,
  }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path ?? route.replace(/:\w+|\*/g, 'x')} HTTP/1.1`, ...lines, length, '', ''].join('\r\n')
}

interface Answered {
  status: number | null
  text: string
  /** What the server had taken in by then. */
  takenBytes: number
  socket: Socket
}

/** Sends without an end until there is an answer, or the server ends the connection. */
async function sendEndless(head: string, kind: Kind): Promise<Answered> {
  const socket = createConnection({ port: api.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  let text = ''
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (text.includes('\r\n\r\n')) resolve()
    })
    socket.on('close', () => resolve())
    setTimeout(resolve, ANSWER_MS).unref()
  })
  socket.write(head)
  keepSending(socket, kind.startsWith('chunked') ? CHUNKED : CHUNK)
  await answered
  const takenBytes = accepted.get(socket.localPort ?? 0)?.bytesRead ?? 0
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0) || null, text, takenBytes, socket }
}

const closed = (socket: Socket) => new Promise((resolve) => socket.on('close', () => resolve(true)))

function keepSending(socket: Socket, piece: Buffer): void {
  const send = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', send)
  send()
}

/** Routes whose handlers read a body with these headers, so that nothing but 413 is right. */
const reads = (method: string, route: string) => reached.has(`${method} ${route}`) || WRITES.has(`${method} ${route}`)

const WRITES = new Set(
  routes.flatMap((route) => ('command' in route ? [`${route.method} /api/public/v1${route.path}`] : [])),
)

test(
  'every route takes in no more of a body than its limit, and says so',
  async () => {
    const wrong: string[] = []
    const statuses = new Map<string, number>()
    let count = 0
    const before = bufferBytes()
    let growth = 0
    const all = cells().flatMap((cell) => KINDS.map((kind) => ({ ...cell, kind })))
    const next = async () => {
      for (let one = all.pop(); one; one = all.pop()) {
        const { method, route, kind } = one
        const { status, takenBytes, text, socket } = await sendEndless(headOf(method, route, kind), kind)
        socket.destroy()
        count += 1
        growth = Math.max(growth, bufferBytes() - before)
        statuses.set(`${status}`, (statuses.get(`${status}`) ?? 0) + 1)
        const problem = problemOf(method, route, kind, status, takenBytes)
        if (problem) wrong.push(`${method} ${route}, ${kind}: ${problem}: ${text.split('\r\n\r\n')[1]?.slice(0, 200)}`)
      }
    }
    await Promise.all(Array.from({ length: 4 }, next))
    const figures = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ')
    console.info(`endless bodies: ${count} cells: ${figures}; buffers grew by ${Math.round(growth / 1024 / 1024)} MB`)
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(400)
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
  },
  MS,
)

const bufferBytes = () => process.memoryUsage().arrayBuffers

function problemOf(
  method: string,
  route: string,
  kind: Kind,
  status: number | null,
  takenBytes: number,
): string | null {
  if (takenBytes > MAX_TAKEN_BYTES) return `${takenBytes} bytes were taken in before the answer ${status}`
  if (status === null) return 'no answer'
  if (status >= 500) return `answered ${status}`
  if (kind === 'longer than declared') return null
  if (status < 300 && !BODILESS.includes(method)) return `answered ${status}`
  const isExact = reads(method, route) && status !== 413 && !(kind === 'chunked form' && status === 415)
  return isExact ? `answered ${status}, not 413` : null
}

test('the answer says what the limit is', async () => {
  const head = headOf('POST', '/api/public/v1/app', 'chunked JSON')
  const { text, socket } = await sendEndless(head, 'chunked JSON')
  socket.destroy()
  expect(text).toContain(`A request body may have at most ${LIMIT_KB} KB`)
})

test.each([
  ['POST', '/api/public/v1/app'],
  ['POST', '/graphql'],
  ['POST', '/mcp'],
  ['POST', '/oauth/consent/:uid'],
  ['POST', '/oauth/token'],
  ['POST', '/oauth/device'],
  ['GET', '/livez'],
])('a connection whose body goes on after the answer ends: %s %s', async (method, route) => {
  const { status, socket } = await sendEndless(headOf(method, route, 'chunked form'), 'chunked form')
  expect(status).not.toBeNull()
  const ended = socket.destroyed ? true : await Promise.race([closed(socket), pause(END_MS, false)])
  socket.destroy()
  expect(ended).toBe(true)
})
