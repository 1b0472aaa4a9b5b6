import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { sampleStartup } from './sample-app.ts'

let berth: TestPlatform

beforeAll(async () => {
  berth = await startTestPlatform()
})

afterAll(() => berth?.stop())

type Mode = 'legacy' | { pin: string }

/** The official client: `legacy` shakes hands with `initialize`, as all clients did until 2026. */
async function connect(mode: Mode, token: string, path = '/mcp') {
  const client = new Client({ name: 'berth-test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${berth.platform.apiUrl}${path}`), { requestInit }))
  return client
}

/** Calls a tool that must succeed; the body that its text holds. */
async function call(client: Client, name: string, given: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: given })
  const [first] = content
  if (first?.type !== 'text' || isError) throw new Error(`${name} failed: ${JSON.stringify(content)}`)
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  return JSON.parse(first.text) as any
}

test.each([
  ['2025', 'legacy', '/mcp'],
  ['2026', { pin: '2026-07-28' }, '/mcp'],
  ['2025, at the root', 'legacy', '/'],
] as const)(
  'the official client creates, deploys, reads and deletes an app: protocol of %s',
  async (era, mode, path) => {
    const client = await connect(mode, berth.platform.adminToken, path)
    expect(client.getServerVersion()).toMatchObject({ name: 'berth' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['create-app', 'get-app-env-status', 'get-logs']),
    )

    const { accounts } = await call(client, 'list-accounts', {})
    const { accountId } = accounts.at(-1)
    const { appId } = await call(client, 'create-app', {
      accountId,
      name: `Tool ${era}`,
      port: 3000,
      useImage: true,
      image: berth.image,
      healthCheckPath: '/healthz',
    })
    const { appEnvId } = await call(client, 'create-app-env', {
      accountId,
      appId,
      name: 'production',
      region: 'local',
      startupConfig: sampleStartup,
    })
    const deployed = await call(client, 'deploy-image', { appEnvId, image: berth.image, waitSeconds: 60 })
    expect(deployed).toMatchObject({ success: true, appEnv: { status: 'RUNNING' } })
    const status = await call(client, 'get-app-env-status', { appEnvId })
    expect(status.latestDeployment).toMatchObject({ version: 1, isSuccess: true })
    const { pods } = await call(client, 'get-app-env-pods', { appEnvId })
    expect(pods).toHaveLength(1)
    await expect
      .poll(async () =>
        (await call(client, 'get-logs', { appEnvId })).logs.map(({ message }: { message: string }) => message),
      )
      .toContain('listening')

    const refused = await client.callTool({ name: 'deploy-image', arguments: { appEnvId, image: 'not an image' } })
    expect(refused.isError).toBe(true)
    expect(JSON.parse((refused.content[0] as { text: string }).text).errors[0].field).toBe('image')

    await call(client, 'delete-app', { appId })
    const gone = await client.callTool({ name: 'get-app-env-status', arguments: { appEnvId } })
    expect(JSON.parse((gone.content[0] as { text: string }).text)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await client.close()
  },
)

test('a client with a wrong token is told so when it connects', async () => {
  await expect(connect('legacy', 'berth_u_wrong')).rejects.toThrow(/token|401|[Uu]nauthori/)
})

test('curl reads a status in one request', async () => {
  const { appEnvId } = await berth.createSample('Curled')
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image: berth.image }, { prefer: 'wait=60' })
  const params = { name: 'get-app-env-status', arguments: { appEnvId } }
  const { stdout } = await promisify(execFile)('curl', [
    '-sS',
    '-X',
    'POST',
    `${berth.platform.apiUrl}/`,
    '-H',
    `Authorization: Bearer ${berth.platform.adminToken}`,
    '-H',
    'Content-Type: application/json',
    '-H',
    'Accept: application/json, text/event-stream',
    '-d',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  ])
  const { result } = JSON.parse(stdout)
  const rest = await berth.rest('GET', `/app-env/status?appEnvId=${appEnvId}`)
  expect(JSON.parse(result.content[0].text).latestDeployment).toEqual((await rest.json()).latestDeployment)
  expect(JSON.parse(result.content[0].text)).toMatchObject({ status: 'RUNNING', latestDeployment: { isSuccess: true } })
})
