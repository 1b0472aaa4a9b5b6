import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CORE } from '../../../src/api/mcp/tool-sets.ts'
import type { Program } from '../../support/memory-engine/program.ts'
import { serveRest } from '../../support/rest.ts'
import { createHarbour, type Harbour } from '../../worker/fixtures.ts'
import { inMemory } from '../../worker/harbour-engine.ts'

// An assistant that knows what tools/list shows it, asks find-tool for the rest in plain words, and gets its work done: the
// official client, the real API, a real PostgreSQL and a worker, on an engine in memory.

const redis: Program = (process) => process.serve((_request, response) => response.end('redis'))

/** What runs beside the service: its probes, and the tool that saves its data. */
const shell: Program = async (process) => {
  if (process.args.some((arg) => arg.includes('--rdb'))) await process.send(Buffer.from('REDIS0012 all of it'))
  return 0
}

let harbour: Harbour
let client: Client
let assistant: Assistant

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory({ 'redis-server': redis, bash: shell, sh: shell }, ['redis:8']))
  harbour.startWorker()
  const { api } = serveRest(harbour)
  client = new Client({ name: 'assistant', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      requestInit: { headers: { Authorization: `Bearer ${harbour.adminToken}` } },
      fetch: async (url, init) => api.request(String(url), init),
    }),
  )
  assistant = await assistantOf(client)
})

afterAll(async () => {
  await client?.close()
  await harbour?.close()
})

type Given = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
type Body = any
type Assistant = Awaited<ReturnType<typeof assistantOf>>

/** Calls only what is listed, as most programs that run a model let it. */
async function assistantOf(client: Client) {
  const { tools } = await client.listTools()
  const listed = new Set(tools.map(({ name }) => name))
  const known = new Set<string>()

  async function call(name: string, given: Given): Promise<{ body: Body; isError: boolean }> {
    expect(listed, 'what is called is listed').toContain(name)
    const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: given }, PATIENT)
    const [first] = content
    const body = JSON.parse(first?.type === 'text' ? first.text : '')
    if (!isError) expect(structuredContent).toEqual(body)
    return { body, isError }
  }

  /** A tool that is listed, or that was found: with its options, if it writes. */
  function use(name: string, given: Given = {}, options?: Given) {
    if (listed.has(name)) return call(name, options ? { ...given, options } : given)
    expect(known, `${name} was found before it is called`).toContain(name)
    return call('call-tool', options ? { name, arguments: given, options } : { name, arguments: given })
  }

  return {
    listed,
    /** Asks in plain words; what is needed must be among the first three. */
    async find(query: string, name: string): Promise<Body> {
      const { body } = await call('find-tool', { query })
      const found = body.tools.map((tool: { name: string }) => tool.name)
      expect([query, found]).toEqual([query, expect.arrayContaining([name])])
      expect(found.length).toBeLessThanOrEqual(3)
      known.add(name)
      return body.tools.find((tool: { name: string }) => tool.name === name)
    },
    use,
    async ok(name: string, given: Given = {}, options?: Given): Promise<Body> {
      const { body, isError } = await use(name, given, options)
      expect([name, isError, isError ? body : undefined]).toEqual([name, false, undefined])
      return body
    },
  }
}

const WAIT = { waitSeconds: 120 }

/** The client waits for longer than a call may. */
const PATIENT = { timeout: 240_000 }

const SERVER = `
const { createServer } = require('node:http')
if (process.env.BROKEN === 'exit') { console.error('cannot open the safe'); process.exit(3) }
createServer((request, response) => response.end(process.env.BERTH_VERSION)).listen(Number(process.env.PORT))
process.on('SIGTERM', () => process.exit(0))
`

/** What the first task makes and the others go on with. */
const shop = { accountId: '', appEnvId: '' }

test('the assistant sees the core', () => {
  expect([...assistant.listed]).toEqual(['find-tool', 'call-tool', ...CORE])
})

describe('an assistant', () => {
  test('deploys an image', async () => {
    const { accounts } = await assistant.ok('list-accounts')
    shop.accountId = accounts[0].accountId
    await assistant.find('which regions are there', 'list-regions')
    const { regions } = await assistant.ok('list-regions')
    const { appId } = await assistant.ok('create-app', {
      accountId: shop.accountId,
      name: 'Shop',
      port: 3000,
      useImage: true,
      image: harbour.image,
    })
    const created = await assistant.ok('create-app-env', {
      accountId: shop.accountId,
      appId,
      name: 'production',
      region: regions[0].region,
      startupConfig: { command: 'node', args: ['-e', SERVER], shell: false },
    })
    shop.appEnvId = created.appEnvId
    const image = harbour.image
    expect(await assistant.ok('deploy-image', { appEnvId: shop.appEnvId, image }, WAIT)).toMatchObject({
      success: true,
    })
    const status = await assistant.ok('get-app-env-status', { appEnvId: shop.appEnvId })
    expect(status).toMatchObject({ status: 'RUNNING', latestDeployment: { version: 1, isSuccess: true } })
  })

  test('sets variables', async () => {
    const { appEnvId } = shop
    const variables = [{ name: 'GREETING', value: 'hello' }]
    const changed = await assistant.ok('change-variables', { appEnvId, variables, applyImmediately: true }, WAIT)
    expect(changed.appliedImmediately).toBe(true)
    expect((await assistant.ok('get-variables', { appEnvId })).variables).toMatchObject(variables)
    expect(await assistant.ok('get-app-env-status', { appEnvId })).toMatchObject({
      status: 'RUNNING',
      latestDeployment: { version: 2 },
    })
  })

  test('sees why a deployment failed', async () => {
    const { appEnvId } = shop
    const variables = [{ name: 'BROKEN', value: 'exit' }]
    const failed = await assistant.use('change-variables', { appEnvId, variables, applyImmediately: true }, WAIT)
    expect(failed.isError).toBe(true)
    const { operations } = await assistant.ok('list-operations', { appEnvId, limit: 1 })
    const operation = await assistant.ok('get-operation', { operationId: operations[0].operationId })
    expect(operation).toMatchObject({ status: 'FAILED', message: expect.stringContaining('cannot open the safe') })
    const { logs } = await assistant.ok('get-logs', { appEnvId, search: 'safe' })
    expect(logs[0]).toMatchObject({ message: 'cannot open the safe', stream: 'stderr' })
    const uri = `berth://environments/${appEnvId}/logs`
    const { contents } = await client.readResource({ uri })
    expect(contents).toMatchObject([
      { uri, mimeType: 'text/plain', text: expect.stringMatching(/^\S+ \[\S+\] .*safe$/m) },
    ])
  })

  test('rolls back', async () => {
    const { appEnvId } = shop
    const { activities } = await assistant.ok('get-app-env-history', { appEnvId })
    expect(activities.length).toBeGreaterThanOrEqual(3)
    expect(await assistant.ok('rollback-app-env', { appEnvId }, WAIT)).toMatchObject({ success: true })
    expect(await assistant.ok('get-app-env-status', { appEnvId })).toMatchObject({
      status: 'RUNNING',
      latestDeployment: { isSuccess: true, version: 4 },
    })
  })

  test('adds a host', async () => {
    const { appEnvId } = shop
    const { inputSchema } = await assistant.find('use my own domain for the app', 'add-host')
    expect(inputSchema.required).toEqual(['host'])
    await assistant.ok('add-host', { appEnvId, host: 'shop.example.com' })
    await assistant.find('list the domains', 'list-hosts')
    const { hosts } = await assistant.ok('list-hosts', { appEnvId })
    expect(hosts.map(({ host }: { host: string }) => host)).toContain('shop.example.com')
  })

  test('schedules a job', async () => {
    const { accountId } = shop
    const app = {
      accountId,
      name: 'Nightly',
      dockerPreset: 'JOB',
      useImage: true,
      image: harbour.image,
      jobConfig: { command: 'node', args: ['--version'], shell: false },
    }
    const { appId } = await assistant.ok('create-app', app)
    const { appEnvId } = await assistant.ok('create-app-env', { accountId, appId, name: 'production', region: 'local' })
    await assistant.ok('deploy-image', { appEnvId, image: harbour.image }, WAIT)
    const { inputSchema } = await assistant.find('run a job every night', 'set-job-schedule')
    expect(inputSchema.properties.cron).toBeTruthy()
    await assistant.ok('set-job-schedule', { appEnvId, cron: '0 3 * * *', timeZone: 'UTC' })
    await assistant.find('see the schedule of a job', 'get-job-schedule')
    expect(await assistant.ok('get-job-schedule', { appEnvId })).toMatchObject({ cron: '0 3 * * *' })
  })

  test('backs up a database', async () => {
    const { accountId } = shop
    await assistant.find('which databases can I have', 'list-database-presets')
    const { appId } = await assistant.ok('create-app', { accountId, name: 'Cache', dockerPreset: 'REDIS' })
    const created = await assistant.ok(
      'create-app-env',
      { accountId, appId, name: 'production', region: 'local' },
      WAIT,
    )
    const { appEnvId } = created
    await assistant.find('back up a database', 'back-up-app-env')
    expect(await assistant.ok('back-up-app-env', { appEnvId }, WAIT)).toMatchObject({ success: true })
    await assistant.find('show the backups of a database', 'list-backups')
    const { backups } = await assistant.ok('list-backups', { appEnvId })
    expect(backups).toMatchObject([{ status: 'AVAILABLE' }])
  })

  test('invites a member', async () => {
    const { accountId } = shop
    await assistant.find('invite a colleague', 'create-invitation')
    const given = { accountId, email: 'ada@example.com', roles: ['TECHNICAL'] }
    const { invitationId, invitationUrl } = await assistant.ok('create-invitation', given)
    expect(invitationUrl).toContain('#berth_i_')
    await assistant.find('open invitations', 'list-invitations')
    const { invitations } = await assistant.ok('list-invitations', { accountId })
    expect(invitations).toMatchObject([{ invitationId, email: 'ada@example.com' }])
  })

  test('rotates a token', async () => {
    await assistant.find('make a token for CI', 'create-token')
    const made = await assistant.ok('create-token', { kind: 'ENVIRONMENT', name: 'CI', appEnvId: shop.appEnvId })
    await assistant.find('rotate a token', 'rotate-token')
    const rotated = await assistant.ok('rotate-token', { tokenId: made.tokenId })
    expect([rotated.tokenId, rotated.token === made.token]).toEqual([made.tokenId, false])
  })

  test('reads the usage', async () => {
    await assistant.find('how much did we use this month', 'get-usage')
    const usage = await assistant.ok('get-usage', { accountId: shop.accountId })
    expect(usage).toMatchObject({ currency: expect.any(String) })
  })
})
