import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TUNNEL_PROTOCOL } from '../../../src/domain/remote-session.ts'
import { updateMember } from '../../../src/services/account/member-commands.ts'
import { stopAppEnv } from '../../../src/services/lifecycle/stop.ts'
import { createExec, createTunnel } from '../../../src/services/remote-session/remote-session-commands.ts'
import { revokeToken } from '../../../src/services/token/token-commands.ts'
import { programs } from '../../support/memory-engine/memory-programs.ts'
import type { Program } from '../../support/memory-engine/program.ts'
import { openSession } from '../../support/remote-session-client.ts'
import { serveRemoteSessions } from '../../support/serve-remote-sessions.ts'
import { createHarbour, eventually, type Harbour } from '../../worker/fixtures.ts'
import { inMemory } from '../../worker/harbour-engine.ts'

const sizes: Program = (process) => {
  const { columns, rows } = process.size() ?? { columns: 0, rows: 0 }
  process.print(`${columns}x${rows}`)
  process.onResize((size) => process.print(`${size.columns}x${size.rows}`))
}
const BLOCK_BYTES = 64 * 1024
/** 100 MB. */
const FLOOD_BLOCKS = 1600
let poured = 0
const flood: Program = async ({ send }) => {
  for (poured = 0; poured < FLOOD_BLOCKS; poured += 1) await send(Buffer.alloc(BLOCK_BYTES))
  return 0
}
const both: Program = ({ print }) => {
  print('out')
  print('err', 'stderr')
  return 3
}

let harbour: Harbour
let api: Awaited<ReturnType<typeof serveRemoteSessions>>
let appEnvId: string

beforeAll(async () => {
  const { copy, wait, polite } = programs
  harbour = await createHarbour(
    {
      BERTH_READY_AFTER_SECONDS: '0',
      BERTH_REMOTE_SESSIONS_PER_ENVIRONMENT: '12',
      BERTH_REMOTE_SESSION_TICKET_SECONDS: '20',
    },
    await inMemory({ copy, wait, polite, sizes, both, flood }),
  )
  harbour.startWorker()
  api = await serveRemoteSessions(harbour)
  appEnvId = await harbour.sample()
  await harbour.ended(await harbour.deployment(appEnvId))
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
  await harbour.database.remoteSession.deleteMany({})
})

const exec = (command: string[], more: Record<string, unknown> = {}) =>
  harbour.perform(createExec, { appEnvId, command, ...more })

async function run(command: string[], more: Record<string, unknown> = {}) {
  const { ticket } = await exec(command, more)
  return openSession(`${api.socketUrl}?ticket=${ticket}`)
}

const auditOf = async (remoteSessionId: string) =>
  (await harbour.auditOf(appEnvId)).filter(
    ({ details }) => (details as { remoteSessionId?: string }).remoteSessionId === remoteSessionId,
  )

const endOf = (remoteSessionId: string) =>
  eventually(
    async () => (await auditOf(remoteSessionId)).find(({ action }) => action.startsWith('end')),
    (entry) => entry !== undefined,
  )

describe('a command', () => {
  test('has both outputs, an exit code as the last message, and audit entries of its begin and end', async () => {
    const { remoteSessionId, ticket, container } = await exec(['both'])
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    expect(await client.closed).toEqual({ code: 1000, reason: 'The command ended with the exit code 3' })
    expect(client).toMatchObject({ stdout: 'out\n', stderr: 'err\n' })
    expect(client.status).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
      exitCode: 3,
    })
    await endOf(remoteSessionId)
    expect(await auditOf(remoteSessionId)).toMatchObject([
      { action: 'createExec', actorType: 'USER', details: { container, command: ['both'], terminal: false } },
      {
        action: 'endExec',
        actorType: 'USER',
        details: { container, command: ['both'], reason: 'COMMAND_ENDED', exitCode: 3, started: true },
      },
    ])
  })

  test('reads what the client types until the client ends it', async () => {
    const client = await run(['copy'])
    client.type('hello ')
    client.type('there')
    client.endInput()
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.stdout).toBe('hello there')
    expect(client.status).toEqual({ metadata: {}, status: 'Success', exitCode: 0 })
  })

  test('has a terminal that takes its size from the client', async () => {
    const client = await run(['sizes'], { terminal: true, columns: 132, rows: 50 })
    await expect.poll(() => client.stdout).toBe('132x50\n')
    client.resize(90, 20)
    await expect.poll(() => client.stdout).toContain('90x20\n')
    client.close()
    await client.closed
  })

  test('gets signals', async () => {
    const client = await run(['polite'])
    await expect.poll(() => client.stdout).toBe('polite\n')
    client.signal('TERM')
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.status).toMatchObject({ exitCode: 0 })
  })

  test('is killed when its client leaves', async () => {
    const { remoteSessionId, ticket } = await exec(['wait'])
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    await expect.poll(() => client.stdout).toBe('waiting\n')
    client.close()
    await client.closed
    expect((await endOf(remoteSessionId))?.details).toMatchObject({ reason: 'CLIENT_CLOSED', exitCode: null })
  })

  test('that the container does not have ends with 127', async () => {
    const client = await run(['nothing-of-the-kind'])
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.status).toMatchObject({ exitCode: 127 })
  })

  test('waits for a client that does not read', async () => {
    const client = await run(['flood'])
    client.socket.pause()
    await expect.poll(() => poured).toBeGreaterThan(1)
    // Everything else of this process goes on meanwhile.
    for (let turn = 0; turn < 50; turn += 1) await fetch(`${api.url}/livez`).then((answer) => answer.text())
    // What sockets of the system hold, but not all of it.
    expect(poured).toBeLessThan(FLOOD_BLOCKS / 2)
    client.socket.resume()
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.bytes).toBe(FLOOD_BLOCKS * BLOCK_BYTES)
  })
})

describe('a ticket', () => {
  test('works once', async () => {
    const { ticket } = await exec(['both'])
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    await client.closed
    const second = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    expect(await second.closed).toEqual({
      code: 4401,
      reason: 'The ticket is unknown, was used before, or has expired: ask for another one',
    })
  })

  test('works once when many use it at the same time', async () => {
    const { ticket } = await exec(['both'])
    const clients = await Promise.all(
      Array.from({ length: 10 }, () => openSession(`${api.socketUrl}?ticket=${ticket}`)),
    )
    const codes = (await Promise.all(clients.map(({ closed }) => closed))).map(({ code }) => code)
    expect(codes.sort()).toEqual([1000, ...Array(9).fill(4401)])
  })

  test('expires', async () => {
    const { ticket, remoteSessionId } = await exec(['both'])
    await harbour.database.$executeRaw`
      UPDATE remote_session SET held_until = now() - interval '1 second' WHERE id = ${remoteSessionId}`
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    expect(await client.closed).toMatchObject({ code: 4401 })
  })

  test('is stored as a hash alone', async () => {
    const { ticket, remoteSessionId } = await exec(['both'])
    const row = await harbour.database.remoteSession.findUniqueOrThrow({ where: { id: remoteSessionId } })
    expect(JSON.stringify(row)).not.toContain(ticket)
    expect(
      JSON.stringify(await auditOf(remoteSessionId), (_key, value) => (typeof value === 'bigint' ? 0 : value)),
    ).not.toContain(ticket)
  })

  test('ends with the token that asked for it', async () => {
    const user = await harbour.user({ roles: ['POD_ACCESS'] })
    const { ticket } = await harbour.perform(createExec, { appEnvId, command: ['wait'] }, { as: user.token })
    await harbour.perform(revokeToken, { tokenId: user.tokenId })
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    expect(await client.closed).toMatchObject({ code: 4409 })
  })
})

describe('a token in place of a ticket', () => {
  const command = 'command=copy'

  test('opens a session at once', async () => {
    const client = await openSession(`${api.socketUrl}?appEnvId=${appEnvId}&${command}`, {
      headers: { authorization: `Bearer ${harbour.adminToken}` },
    })
    client.type('by token')
    client.endInput()
    await client.closed
    expect(client.stdout).toBe('by token')
  })

  test.each([
    ['none', `appEnvId=ENV&${command}`, {}, 4401],
    ['a wrong one', `appEnvId=ENV&${command}`, { authorization: 'Bearer nonsense' }, 4401],
    ['a parameter that is unknown', `appEnvId=ENV&shell=yes`, {}, 4400],
    ['an environment that is unknown', `appEnvId=nowhere&${command}`, {}, 4404],
    ['a size that is no number', `appEnvId=ENV&terminal=true&columns=wide`, {}, 4400],
  ])('with %s is refused with a code', async (what, query, headers, code) => {
    const own = what.startsWith('none') || what.startsWith('a wrong') ? headers : { authorization: harbour.adminToken }
    const client = await openSession(`${api.socketUrl}?${query.replace('ENV', appEnvId)}`, { headers: own })
    expect(await client.closed).toMatchObject({ code })
  })
})

describe('permission', () => {
  test.each([
    ['ADMIN', true],
    ['POD_ACCESS', true],
    ['TECHNICAL', false],
    ['AUDIT', false],
  ] as const)('%s: %s', async (role, isAllowed) => {
    const { token } = await harbour.user({ roles: [role] })
    const { status } = await api.post('/app-env/exec', { appEnvId, command: ['both'] }, token)
    expect(status).toBe(isAllowed ? 200 : 403)
    const tunnel = await api.post('/app-env/tunnel', { appEnvId }, token)
    expect(tunnel.status).toBe(isAllowed ? 200 : 403)
  })

  test('a member of another account is refused', async () => {
    const accountId = await harbour.account()
    const { token } = await harbour.user({ roles: ['ADMIN'], accountId })
    expect(await api.post('/app-env/exec', { appEnvId, command: ['both'] }, token)).toMatchObject({
      status: 403,
      body: { reason: 'NOT_A_MEMBER' },
    })
    const client = await openSession(`${api.socketUrl}?appEnvId=${appEnvId}`, { headers: { authorization: token } })
    expect(await client.closed).toMatchObject({ code: 4403 })
  })

  test('a scoped token needs both scopes', async () => {
    const { userId } = await harbour.user({ roles: ['ADMIN'] })
    const scoped = (scopes: never[]) => harbour.token({ kind: 'SCOPED', userId, scopes })
    const reading = await scoped(['svc:read:secrets'] as never[])
    expect((await api.post('/app-env/exec', { appEnvId }, reading.token)).body).toMatchObject({
      reason: 'SCOPE_MISSING',
    })
    const deploying = await scoped(['svc:write:deploy'] as never[])
    expect((await api.post('/app-env/exec', { appEnvId }, deploying.token)).status).toBe(403)
    const both = await scoped(['svc:read:secrets', 'svc:write:deploy'] as never[])
    expect((await api.post('/app-env/exec', { appEnvId }, both.token)).status).toBe(200)
  })
})

describe('a session ends', () => {
  async function waiting(as: string) {
    const { ticket, remoteSessionId } = await harbour.perform(createExec, { appEnvId, command: ['wait'] }, { as })
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    await expect.poll(() => client.stdout).toBe('waiting\n')
    return { client, remoteSessionId }
  }

  test('with its token', async () => {
    const user = await harbour.user({ roles: ['POD_ACCESS'] })
    const { client, remoteSessionId } = await waiting(user.token)
    await harbour.perform(revokeToken, { tokenId: user.tokenId })
    expect(await client.closed).toMatchObject({ code: 4403 })
    expect(client.status).toMatchObject({ reason: 'ACCESS_LOST' })
    expect((await endOf(remoteSessionId))?.details).toMatchObject({ reason: 'ACCESS_LOST' })
  })

  test('with the role of its owner', async () => {
    const user = await harbour.user({ roles: ['POD_ACCESS'] })
    const { client } = await waiting(user.token)
    await harbour.perform(updateMember, { userId: user.userId, accountId: harbour.accountId, roles: ['TECHNICAL'] })
    expect(await client.closed).toMatchObject({ code: 4403 })
  })

  test('when its container stops', async () => {
    const other = await harbour.sample()
    await harbour.ended(await harbour.deployment(other))
    const { ticket } = await harbour.perform(createExec, { appEnvId: other, command: ['wait'] })
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`)
    await expect.poll(() => client.stdout).toBe('waiting\n')
    await harbour.ended(await harbour.ask(stopAppEnv, other))
    const { code } = await client.closed
    expect(code).toBe(4410)
  })

  test('with 1001 and words when its API process stops', async () => {
    const own = await serveRemoteSessions(harbour)
    const { ticket, remoteSessionId } = await exec(['wait'])
    const client = await openSession(`${own.socketUrl}?ticket=${ticket}`)
    await expect.poll(() => client.stdout).toBe('waiting\n')
    await own.close()
    expect(await client.closed).toEqual({ code: 1001, reason: 'Berth restarts: open another session' })
    expect((await endOf(remoteSessionId))?.details).toMatchObject({ reason: 'STOPPING' })
  })

  test('with 1001 and words when its worker stops, and another worker takes the next one', async () => {
    await harbour.stopWorkers()
    harbour.startWorker()
    const { client } = await waiting(harbour.adminToken)
    await harbour.stopWorkers()
    expect(await client.closed).toEqual({ code: 1001, reason: 'Berth restarts: open another session' })
    harbour.startWorker()
    const next = await run(['both'])
    expect(await next.closed).toMatchObject({ code: 1000 })
  })

  test('when the client sends text', async () => {
    const { client } = await waiting(harbour.adminToken)
    client.socket.send('text')
    expect(await client.closed).toMatchObject({ code: 1003 })
  })

  test('when nothing passes, and when it lasts too long', async () => {
    const { config } = harbour
    const short = { ...harbour, config: { ...config, BERTH_REMOTE_SESSION_IDLE_SECONDS: 1 } }
    const idle = await serveRemoteSessions(short)
    const first = await exec(['wait'])
    const client = await openSession(`${idle.socketUrl}?ticket=${first.ticket}`)
    expect(await client.closed).toEqual({
      code: 4408,
      reason: 'No byte passed for 1 s (BERTH_REMOTE_SESSION_IDLE_SECONDS)',
    })
    await idle.close()
    const total = await serveRemoteSessions({ ...harbour, config: { ...config, BERTH_REMOTE_SESSION_SECONDS: 1 } })
    const second = await exec(['wait'])
    const other = await openSession(`${total.socketUrl}?ticket=${second.ticket}`)
    expect(await other.closed).toMatchObject({ code: 4408, reason: expect.stringContaining('as long as it may') })
    await total.close()
  })

  test('in the audit log also where both of its processes are gone', async () => {
    const { remoteSessionId } = await exec(['wait'])
    await harbour.database.$executeRaw`
      UPDATE remote_session SET ticket_hash = NULL, relay_url = 'http://127.0.0.1:1', worker_id = 'gone',
        held_until = now() - interval '1 second', worker_until = now() - interval '1 second'
      WHERE id = ${remoteSessionId}`
    expect((await endOf(remoteSessionId))?.details).toMatchObject({ reason: 'WORKER_LOST' })
  })
})

describe('is refused with the reason', () => {
  test('when too many are open', async () => {
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => exec(['wait'])))
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(12)
    const refusals = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refusals[0]).toMatchObject({
      code: 'CONFLICT',
      reason: 'TOO_MANY_REMOTE_SESSIONS',
      message: expect.stringContaining('BERTH_REMOTE_SESSIONS_PER_ENVIRONMENT'),
    })
  })

  test('for a job, a function, an environment that was never deployed, and a stopped one', async () => {
    const { perform } = harbour
    const job = await harbour.appEnv({ app: { appType: 'JOB' } })
    await expect(perform(createExec, { appEnvId: job.appEnvId })).rejects.toMatchObject({
      reason: 'NO_CONTAINER',
      message: expect.stringContaining('begin a job run'),
    })
    const fresh = await harbour.sample()
    await expect(perform(createExec, { appEnvId: fresh })).rejects.toMatchObject({ reason: 'NO_CONTAINER' })
    await harbour.ended(await harbour.deployment(fresh))
    await harbour.ended(await harbour.ask(stopAppEnv, fresh))
    await expect(perform(createTunnel, { appEnvId: fresh })).rejects.toMatchObject({ reason: 'ENVIRONMENT_STOPPED' })
  })

  test('for a container of another environment', async () => {
    const other = await harbour.sample()
    await harbour.ended(await harbour.deployment(other))
    const { podId } = await harbour.perform(createExec, { appEnvId: other })
    await expect(harbour.perform(createExec, { appEnvId, podId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a tunnel', () => {
  test('carries bytes to the port of the app, and back', async () => {
    const { ticket, port, remoteSessionId } = await harbour.perform(createTunnel, { appEnvId })
    expect(port).toBe(3000)
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`, { protocol: TUNNEL_PROTOCOL })
    client.send(Buffer.from('GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n'))
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.stdout).toContain('HTTP/1.1 200')
    const entries = [await endOf(remoteSessionId), ...(await auditOf(remoteSessionId))]
    expect(entries[0]).toMatchObject({ action: 'endTunnel', details: { port: 3000, reason: 'CONNECTION_CLOSED' } })
  })

  test('by a token', async () => {
    const client = await openSession(`${api.socketUrl}?kind=tunnel&appEnvId=${appEnvId}&port=3000`, {
      protocol: TUNNEL_PROTOCOL,
      headers: { authorization: harbour.adminToken },
    })
    client.send(Buffer.from('GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n'))
    await client.closed
    expect(client.stdout).toContain('HTTP/1.1 200')
  })

  test('leads to no other port of a machine that publishes the one of the app', async () => {
    const listener = createServer((socket) => socket.end('not for tenants')).listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = listener.address() as { port: number }
    const { ticket } = await harbour.perform(createTunnel, { appEnvId, port })
    const client = await openSession(`${api.socketUrl}?ticket=${ticket}`, { protocol: TUNNEL_PROTOCOL })
    expect(await client.closed).toMatchObject({ code: 1011 })
    expect(client.stdout).toBe('')
    expect(client.status.message).toContain('publishes only the port')
    listener.close()
  })
})
