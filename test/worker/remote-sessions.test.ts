import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TUNNEL_PROTOCOL } from '../../src/domain/remote-session.ts'
import { createExec, createTunnel } from '../../src/services/remote-session/remote-session-commands.ts'
import { createFleet } from '../support/api-process.ts'
import { ensureProgramsImage } from '../support/programs-image.ts'
import { openSession } from '../support/remote-session-client.ts'
import { serveRemoteSessions } from '../support/serve-remote-sessions.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

const MB = 1024 * 1024
const MAX_MEMORY_MB = 96
const PER_ENVIRONMENT = 8

let harbour: Harbour
let api: Awaited<ReturnType<typeof serveRemoteSessions>>
let appEnvId: string
/** With `sh` and `cat`. */
let image: string

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_REMOTE_SESSIONS_PER_ENVIRONMENT: String(PER_ENVIRONMENT) })
  image = await ensureProgramsImage(harbour.docker)
  harbour.startWorker()
  api = await serveRemoteSessions(harbour)
  appEnvId = await harbour.sample()
  await harbour.ended(await harbour.deployment(appEnvId, image))
})
afterAll(async () => {
  await api?.close()
  await harbour?.close()
})

afterEach(async () => {
  await eventually(
    () => harbour.database.remoteSession.count({ where: { ticketHash: null } }),
    (count) => count === 0,
  )
  // Tickets that a test did not use.
  await harbour.database.remoteSession.deleteMany({})
})

const exec = (command: string[], more: Record<string, unknown> = {}) =>
  harbour.perform(createExec, { appEnvId, command, ...more })

async function run(command: string[], more: Record<string, unknown> = {}, options = {}) {
  const { ticket } = await exec(command, more)
  return openSession(`${api.socketUrl}?ticket=${ticket}`, options)
}

const node = (script: string) => ['node', '-e', script]
const terminal = { terminal: true, columns: 132, rows: 43 }

async function processes(): Promise<string[]> {
  const [container] = await harbour.containersOf(appEnvId)
  const { Processes } = await harbour.docker.getContainer(container?.Id ?? '').top()
  return Processes.map((fields: string[]) => fields.at(-1) ?? '')
}

const endOf = (remoteSessionId: string) =>
  eventually(
    async () =>
      (await harbour.auditOf(appEnvId)).find(
        ({ action, details }) =>
          action === 'endExec' && (details as { remoteSessionId?: string }).remoteSessionId === remoteSessionId,
      ),
    (entry) => entry !== undefined,
  )

describe('a terminal', () => {
  test('has a size, colours and a new size', async () => {
    const client = await run(
      node(`
        const size = () => console.log([process.stdout.isTTY, process.stdout.columns, process.stdout.rows].join(' '))
        size()
        console.log('\\x1b[31mred\\x1b[0m')
        // An engine may tell the first size only after the start.
        process.stdout.on('resize', () => { size(); if (process.stdout.columns === 90) process.exit(0) })
        setInterval(() => {}, 1000)`),
      terminal,
    )
    await expect.poll(() => client.stdout).toContain('\x1b[31mred\x1b[0m')
    await expect.poll(() => client.stdout).toContain('true 132 43')
    client.resize(90, 20)
    await client.closed
    expect(client.stdout).toContain('true 90 20')
    expect(client.status).toMatchObject({ status: 'Success', exitCode: 0 })
  })

  test('passes Ctrl-C on as a signal', async () => {
    const client = await run(
      node(`process.on('SIGINT', () => { console.log('interrupted'); process.exit(7) })
        console.log('ready'); setInterval(() => {}, 1000)`),
      terminal,
    )
    await expect.poll(() => client.stdout).toContain('ready')
    client.type('\x03')
    await client.closed
    expect(client.stdout).toContain('interrupted')
    expect(client.status).toMatchObject({ exitCode: 7 })
  })

  test('shows what comes after the end of its input', async () => {
    const client = await run(['sh', '-c', 'cat; echo after'], terminal)
    client.type('typed\n')
    client.endInput()
    await client.closed
    expect(client.stdout).toContain('after')
    expect(client.status).toMatchObject({ exitCode: 0 })
  })

  test('runs a shell', async () => {
    const client = await run(['sh'], terminal)
    client.type('echo a-$((40 + 2))\n')
    await expect.poll(() => client.stdout).toContain('a-42')
    client.type('exit 5\n')
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.status).toMatchObject({ exitCode: 5 })
  })
})

describe('a command', () => {
  test('has its outputs apart, and the end of its input', async () => {
    const client = await run(['sh', '-c', 'cat; echo err >&2; exit 3'])
    client.type('in and out')
    client.endInput()
    await client.closed
    expect(client).toMatchObject({ stdout: 'in and out', stderr: 'err\n' })
    expect(client.status).toMatchObject({ exitCode: 3, reason: 'NonZeroExitCode' })
  })

  test('gets a signal without a terminal, and so do its children', async () => {
    const client = await run(['sh', '-c', "trap 'echo caught; exit 9' USR1; echo ready; while :; do sleep 0.1; done"])
    await expect.poll(() => client.stdout).toBe('ready\n')
    client.signal('USR1')
    await client.closed
    expect(client.stdout).toContain('caught')
  })

  test('that does not exist is explained in the words of the engine', async () => {
    const client = await run(['no-such-program'])
    await client.closed
    expect(client.status.exitCode).toBeGreaterThanOrEqual(126)
    expect(client.status.message).toContain('no-such-program')
    expect(client.stdout).toBe('')
  })

  test('says 100 MB in little memory', { timeout: 240_000 }, async () => {
    const before = process.memoryUsage().rss
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before)
    }, 50)
    const client = await run(
      node(`const block = Buffer.alloc(65536)
        const say = (left) => left > 0 && process.stdout.write(block, () => say(left - 1))
        say(1600)`),
      {},
      { keep: false },
    )
    await client.closed
    clearInterval(watching)
    console.info(`100 MB of output with ${(most / MB).toFixed(0)} MB more memory at most`)
    expect(client.status).toMatchObject({ exitCode: 0 })
    expect(client.bytes).toBe(100 * MB)
    expect(most / MB).toBeLessThan(MAX_MEMORY_MB)
  })

  test('leaves nothing behind when its client leaves', async () => {
    const { ticket, remoteSessionId } = await exec(node("console.log('ready'); setInterval(() => {}, 1000) // left"))
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    await expect.poll(() => client.stdout).toBe('ready\n')
    client.close()
    await endOf(remoteSessionId)
    await expect.poll(async () => (await processes()).filter((one) => one.endsWith('// left'))).toEqual([])
  })
})

test('a killed API process leaves no command behind, and an audit entry in words', async () => {
  const fleet = createFleet({
    databaseUrl: harbour.url,
    settings: {
      BERTH_ADMIN_TOKEN: harbour.adminToken,
      BERTH_MASTER_KEY: harbour.masterKey.bytes.toString('hex'),
    },
  })
  try {
    const other = await fleet.start()
    const { ticket, remoteSessionId } = await exec(node("console.log('ready'); setInterval(() => {}, 1000) // orphan"))
    const client = await openSession(`${other.url.replace('http', 'ws')}/remote-session?ticket=${ticket}`)
    await expect.poll(() => client.stdout).toBe('ready\n')
    await other.end('SIGKILL')
    expect(await client.closed).toMatchObject({ code: 1006 })
    expect((await endOf(remoteSessionId))?.details).toMatchObject({
      reason: 'API_LOST',
      message: 'The API process that had the client ended; the command was killed',
    })
    expect((await processes()).filter((one) => one.endsWith('// orphan'))).toEqual([])
  } finally {
    await fleet.stop()
  }
})

test('what a killed worker left is killed by another one', async () => {
  const key = 'rem_left'
  const { containerId } = await exec(['true']).then(({ podId }) => ({ containerId: podId }))
  const caller = new AbortController()
  const started = Promise.withResolvers<void>()
  const running = harbour.runtime
    .exec(containerId, ['node', '-e', 'setInterval(() => {}, 1000) // by a worker'], {
      key,
      onStarted: () => started.resolve(),
      signal: caller.signal,
    })
    .catch(() => {})
  await started.promise
  await expect.poll(async () => (await processes()).some((one) => one.endsWith('// by a worker'))).toBe(true)
  await harbour.runtime.killExec(containerId, key)
  expect((await processes()).filter((one) => one.endsWith('// by a worker'))).toEqual([])
  caller.abort(new Error('enough'))
  await running
})

test('a session ends in words when its container is removed by hand', async () => {
  const other = await harbour.sample()
  await harbour.ended(await harbour.deployment(other, image))
  const { ticket } = await harbour.perform(createExec, { appEnvId: other, command: ['cat'] })
  const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
  client.type('here')
  await expect.poll(() => client.stdout).toBe('here')
  const [container] = await harbour.containersOf(other)
  await harbour.byHand.remove(container?.Id ?? '')
  expect(await client.closed).toEqual({ code: 4410, reason: expect.stringMatching(/has stopped|does not run/) })
})

/** As clients do: a call that the database had no time for is repeated. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if ((error as { code?: string }).code !== 'UNAVAILABLE') throw error
    }
  }
}

test('of 200 at once, as many run as may, and the others are refused in words', { timeout: 240_000 }, async () => {
  const asked = await Promise.allSettled(
    Array.from({ length: 200 }, () => patiently(() => exec(['sh', '-c', 'exit 4']))),
  )
  const tickets = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value.ticket] : []))
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(tickets).toHaveLength(PER_ENVIRONMENT)
  for (const refusal of refused)
    expect(refusal).toMatchObject({
      reason: 'TOO_MANY_REMOTE_SESSIONS',
      message: `The environment has ${PER_ENVIRONMENT} remote sessions, and may have ${PER_ENVIRONMENT} (BERTH_REMOTE_SESSIONS_PER_ENVIRONMENT): end one first`,
    })
  const clients = await Promise.all(tickets.map((ticket) => openSession(`${api.socketUrl}?ticket=${ticket}`)))
  await Promise.all(clients.map(({ closed }) => closed))
  expect(clients.map(({ status }) => status.exitCode)).toEqual(Array(PER_ENVIRONMENT).fill(4))
})

describe('a tunnel', () => {
  const ask = async (port?: number) => {
    const { ticket } = await harbour.perform(createTunnel, { appEnvId, ...(port ? { port } : {}) })
    return openSession(`${api.socketUrl}?ticket=${ticket}`, { protocol: TUNNEL_PROTOCOL })
  }

  test('reaches the port of the app', async () => {
    const client = await ask()
    client.send(Buffer.from('GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n'))
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.stdout).toContain('HTTP/1.1 200')
  })

  test('reaches another port of the container, both ways with 20 MB', { timeout: 240_000 }, async () => {
    const echo = await run(
      node(
        `require('node:net').createServer((socket) => socket.pipe(socket)).listen(4567, () => console.log('listens'))`,
      ),
    )
    await expect.poll(() => echo.stdout).toBe('listens\n')
    const client = await ask(4567)
    const block = Buffer.alloc(65_536, 'x')
    for (let sent = 0; sent < 320; sent += 1) client.send(block)
    await expect.poll(() => client.bytes).toBe(20 * MB)
    client.close()
    await client.closed
    echo.close()
    await echo.closed
  })

  test('says why nothing answers', async () => {
    const client = await ask(4999)
    expect(await client.closed).toMatchObject({ code: 1011, reason: expect.stringContaining('ECONNREFUSED') })
  })
})
