import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { npmInstall } from '../support/npm-install.ts'
import { programImage } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'
import { unique } from './support/user.ts'

let berth: SharedBerth
let image: string

beforeAll(async () => {
  ;[berth, image] = await Promise.all([sharedBerth(), programImage('1')])
})

/** The client waits for longer than a call may. */
const PATIENT = { timeout: 240_000 }

type Mode = 'legacy' | { pin: string }

/** The official client: `legacy` shakes hands with `initialize`, as all clients did until 2026. */
async function connect(path: string, mode: Mode = { pin: '2026-07-28' }): Promise<Client> {
  const client = new Client({ name: 'shipped', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${berth.adminToken}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${berth.url}${path}`), { requestInit }))
  return client
}

/** What the answers have that are read here, each some of it. */
interface Answer {
  accounts: { accountId: string }[]
  appId: string
  appEnvId: string
  tools: { name: string }[]
}

async function call(client: Client, name: string, given: Record<string, unknown>): Promise<Answer> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given }, PATIENT)
  if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`)
  return structuredContent as unknown as Answer
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe.concurrent('the official client', () => {
  test.for<[string, Mode]>([
    ['2025', 'legacy'],
    ['2026', { pin: '2026-07-28' }],
  ])('of %s deploys with the core, and schedules a job with what it finds', async ([_era, mode], { expect }) => {
    const client = await connect('/mcp', mode)
    const listed = await namesOf(client)
    expect(listed.length).toBeLessThanOrEqual(26)
    const { accounts } = await call(client, 'list-accounts', {})
    const accountId = accounts.at(-1)?.accountId
    const jobConfig = { command: 'node', args: ['/app/program.mjs', 'job', 'import'], shell: false }
    const app = { accountId, name: unique('found'), dockerPreset: 'JOB', useImage: true, image, jobConfig }
    const { appId } = await call(client, 'create-app', app)
    const made = await call(client, 'create-app-env', { accountId, appId, name: 'production', region: 'local' })
    const { appEnvId } = made
    await call(client, 'deploy-image', { appEnvId, image, options: { waitSeconds: 120 } })
    const found = await call(client, 'find-tool', { query: 'run a job now' })
    expect(found.tools.map(({ name }) => name)).toContain('create-job-run')
    const run = { name: 'create-job-run', arguments: { appEnvId }, options: { waitSeconds: 120 } }
    expect(await call(client, 'call-tool', run)).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 })
    await expect
      .poll(async () => {
        const { contents } = await client.readResource({ uri: `berth://environments/${appEnvId}/logs` })
        return JSON.stringify(contents)
      })
      .toContain('done: import')
    await call(client, 'call-tool', { name: 'delete-app', arguments: { appId } })
    await client.close()
  })

  test('checks answers against the schemas of a set, and only reads where it may only read', async ({ expect }) => {
    const client = await connect('/mcp/readonly?tools=core,apps,accounts,usage')
    expect(await namesOf(client)).not.toContain('create-app')
    // The client refuses an answer that its schema does not describe.
    for (const name of ['list-apps', 'list-accounts', 'list-plans', 'get-usage', 'list-members']) {
      const answer = await call(client, name, name === 'list-members' ? { accountId: await accountId(client) } : {})
      expect(answer, name).toBeTypeOf('object')
    }
    const refused = await client.callTool({ name: 'create-app', arguments: { name: 'No' } })
    expect([refused.isError, JSON.stringify(refused.content)]).toEqual([true, expect.stringContaining('READ_ONLY')])
    await client.close()
  })
})

const accountId = async (client: Client): Promise<string> =>
  (await call(client, 'list-accounts', {})).accounts.at(-1)?.accountId ?? ''

// The inspector as a developer of assistants runs it. Its packages are its own: test/shipped/mcp-inspector.
describe('the MCP inspector', () => {
  const run = promisify(execFile)
  let folder: string
  let notInstalled: string | null = null

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-inspector-'))
    await cp(join(import.meta.dirname, 'mcp-inspector'), folder, { recursive: true })
    notInstalled = await npmInstall(folder, 'test/shipped/mcp-inspector', '--ignore-scripts', '--omit=optional')
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** What its command line prints that is read here, each call some of it. */
  interface Printed {
    tools: { name: string }[]
    structuredContent: { tools: { name: string }[]; plans: object[] }
    resources: { uri: string }[]
    contents: { text: string }[]
  }

  /** What one call of its command line prints, as JSON. */
  async function inspect(path: string, method: string, ...more: string[]): Promise<Printed> {
    const program = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
    const header = ['--header', `Authorization: Bearer ${berth.adminToken}`]
    const args = [
      program,
      '--cli',
      `${berth.url}${path}`,
      '--transport',
      'http',
      ...header,
      '--method',
      method,
      ...more,
    ]
    const env = { PATH: process.env.PATH, HOME: folder }
    const { stdout } = await run(process.execPath, args, { cwd: folder, env, maxBuffer: 64 * 1024 ** 2 })
    return JSON.parse(stdout) as Printed
  }

  test('lists tools, finds one, calls one, and reads a document', async (context) => {
    const { expect } = context
    // Its packages come from a registry: where none answers, the reason is printed, and stands beside the test.
    if (notInstalled !== null) context.skip(notInstalled)
    const { tools } = await inspect('/mcp', 'tools/list')
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['find-tool', 'call-tool', 'deploy-image']))
    const found = await inspect('/mcp', 'tools/call', '--tool-name', 'find-tool', '--tool-arg', 'query=list the plans')
    expect(found.structuredContent.tools.map(({ name }) => name)).toContain('list-plans')
    const { structuredContent } = await inspect('/mcp?tools=accounts', 'tools/call', '--tool-name', 'list-plans')
    expect(structuredContent.plans.length).toBeGreaterThan(0)
    const { resources } = await inspect('/mcp/readonly', 'resources/list')
    expect(resources.map(({ uri }) => uri)).toContain('berth://docs/guide')
    const { contents } = await inspect('/mcp', 'resources/read', '--uri', 'berth://docs/guide')
    expect(contents[0]?.text).toMatch(/^# Berth for assistants/)
  })
})
