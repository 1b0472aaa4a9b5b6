import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import Docker from 'dockerode'
import { beforeAll, describe, test } from 'vitest'
import { createWebSocketStream, WebSocket } from 'ws'
import { eventually } from './support/eventually.ts'
import { ensureService, programImage } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'

const PSQL_TIMEOUT_MS = 120_000

let berth: SharedBerth
let image: string

beforeAll(async () => {
  ;[berth, image] = await Promise.all([sharedBerth(), programImage('1'), ensureService('POSTGRESQL')])
})

/** A terminal as a page has one: from the ticket to the exit code. */
async function terminalAt(url: string) {
  const socket = new WebSocket(url, 'v5.channel.k8s.io')
  let [screen, status] = ['', '']
  socket.on('message', (data: Buffer) => {
    const text = data.subarray(1).toString('utf8')
    if (data[0] === 1) screen += text
    if (data[0] === 3) status = text
  })
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await once(socket, 'open')
  return {
    screen: () => screen,
    type: (text: string) => socket.send(Buffer.concat([Buffer.of(0), Buffer.from(text)])),
    resize: (Width: number, Height: number) =>
      socket.send(Buffer.concat([Buffer.of(4), Buffer.from(JSON.stringify({ Width, Height }))])),
    closed: async () => ({ code: await closed, ...(JSON.parse(status) as { exitCode: number }) }),
  }
}

interface AuditEntry {
  action: string
  targetId: string
  details: Record<string, unknown>
}

/** The audit entry of the end of a command in an environment. */
async function endOf(appEnvId: string): Promise<AuditEntry | undefined> {
  const { entries } = await berth.get('/account/audit', { accountId: await berth.accountId() })
  return entries.find((entry: AuditEntry) => entry.action === 'endExec' && entry.targetId === appEnvId)
}

/** What `berth port-forward` is: a local port, of which each connection is a tunnel. */
async function forwardTo(appEnvId: string, token: string) {
  const url = `${berth.url.replace(/^http/, 'ws')}/remote-session?kind=tunnel&appEnvId=${appEnvId}`
  const carry = (local: Socket) => {
    const socket = new WebSocket(url, 'binary', { headers: { authorization: `Bearer ${token}` } })
    const tunnel = createWebSocketStream(socket)
    for (const end of [local, tunnel]) end.on('error', () => {})
    local.pipe(tunnel).pipe(local)
  }
  const server = createServer(carry).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

/** The official client, on the machine's network. */
async function psql(port: number, credentials: Record<string, string>, statement: string): Promise<string> {
  const { username, password, database } = credentials
  const docker = new Docker()
  const container = await docker.createContainer({
    Image: 'postgres:18',
    Entrypoint: ['psql'],
    Cmd: [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      username ?? '',
      '-d',
      database ?? '',
      '-At',
      '-P',
      'pager=off',
      '-c',
      statement,
    ],
    Env: [`PGPASSWORD=${password}`, 'PGCONNECT_TIMEOUT=60'],
    HostConfig: { NetworkMode: 'host' },
    Tty: true,
  })
  try {
    const output = await container.attach({ stream: true, stdout: true, stderr: true })
    await container.start()
    const late = setTimeout(() => void container.kill().catch(() => {}), PSQL_TIMEOUT_MS)
    const text = (await buffer(output)).toString('utf8')
    clearTimeout(late)
    return text.replaceAll('\r', '').trim()
  } finally {
    await container.remove({ force: true })
  }
}

describe.concurrent('a remote session', () => {
  test('is a terminal in a container, opened by a ticket that works once', async ({ expect }) => {
    const { appEnvId } = await berth.runImage(image)
    const size = { terminal: true, columns: 100, rows: 30 }
    const { url } = await berth.post('/app-env/exec', { appEnvId, command: ['sh'], ...size })
    const terminal = await terminalAt(url)
    const shows = (what: string, text: string) =>
      eventually(
        what,
        async () => terminal.screen(),
        (screen) => screen.includes(text),
      )
    const columns = 'node -p "process.stdout.columns + String.fromCharCode(32) + process.env.RELEASE"\n'
    terminal.type(columns)
    await shows('the terminal has its size', '100 1')
    terminal.resize(70, 20)
    terminal.type(columns)
    await shows('the terminal has its new size', '70 1')
    terminal.type('node -e "setInterval(() => {}, 1000); console.log(6 * 7)"\n')
    await shows('the program runs', '42')
    terminal.type('\x03')
    terminal.type('exit 6\n')
    expect(await terminal.closed()).toMatchObject({ code: 1000, exitCode: 6 })
    const second = new WebSocket(url)
    const [code] = await once(second, 'close')
    expect(code).toBe(4401)
    const entry = await eventually(
      'the end is in the audit log',
      () => endOf(appEnvId),
      (found) => found !== undefined,
    )
    expect(entry?.details).toMatchObject({ command: ['sh'], exitCode: 6, reason: 'COMMAND_ENDED' })
  })

  test('is a tunnel to a database, through which psql works', async ({ expect }) => {
    const { appEnvId } = await berth.createApp({ dockerPreset: 'POSTGRESQL', port: undefined })
    const credentials = await berth.get('/app-env/credentials', { appEnvId })
    await using forwarded = await forwardTo(appEnvId, berth.adminToken)
    const say = (statement: string) => psql(forwarded.port, credentials, statement)
    expect(await say('CREATE TABLE fruit (name text)')).toBe('CREATE TABLE')
    expect(await say("INSERT INTO fruit SELECT repeat('apple', 200000) FROM generate_series(1, 20)")).toBe(
      'INSERT 0 20',
    )
    expect(await say('SELECT count(*), sum(length(name)) FROM fruit')).toBe('20|20000000')
    expect((await say('SELECT name FROM fruit LIMIT 1')).length).toBe(1_000_000)
  })
})
