import { join } from 'node:path'
import Docker from 'dockerode'
import { buildClientSchema, getIntrospectionQuery, printSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFleet } from '../support/api-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'
import { recordInstallation } from '../support/test-installations.ts'

/** A platform in a separate process, because its list of app types differs. */
const REGISTER = join(import.meta.dirname, 'scratch/register.ts')

/** Echoes each request, and is ready under one path only. */
const PROGRAM = `
const { createServer } = require('node:http')
console.log('peer is ' + process.env.PEER)
createServer((request, response) => {
  console.log('asked ' + request.url)
  response.writeHead(request.url === '/scratch-ready' ? 200 : 503).end()
}).listen(Number(process.env.PORT))
process.on('SIGTERM', () => process.exit(0))
`
const startup = { command: 'node', args: ['-e', PROGRAM], shell: false }

const docker = new Docker()
let held: TestDatabase
let fleet: ReturnType<typeof createFleet>
let url: string
let image: string
let accountId: string

type Body = Record<string, unknown>

async function send(path: string, method: string, body?: Body, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: fleet.token, 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: await response.json() }
}

const rest = (method: string, path: string, body?: Body, headers?: Record<string, string>) =>
  send(`/api/public/v1${path}`, method, body, headers)

async function graphql(query: string, variables: Body = {}) {
  const { body } = await send('/graphql', 'POST', { query, variables })
  return body
}

beforeAll(async () => {
  held = await createTestDatabase()
  image = await ensureTestImage(docker)
  fleet = createFleet({
    databaseUrl: held.url,
    nodeOptions: ['--import', REGISTER],
    settings: { BERTH_ROLES: 'api,worker,ingress', BERTH_RECONCILE_SECONDS: '2', BERTH_DRAIN_SECONDS: '1' },
  })
  ;({ url } = await fleet.start())
  recordInstallation((await held.database.installation.findFirstOrThrow()).id)
  accountId = (await rest('GET', '/accounts')).body.accounts.at(-1).accountId
})

afterAll(async () => {
  await fleet?.stop()
  const installation = await held?.database.installation.findFirst()
  if (installation) await removeEverything(docker, installation.id)
  await held?.drop()
})

const CREATE_APP =
  'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { id type scratchConfig { colour } } } }'

/** An app of the type, through either API. */
const createApp = {
  async REST(changes: Body = {}): Promise<{ appId?: string; problems: string[] }> {
    const app = { name: 'Pad', accountId, appType: 'scratch', port: 3000, ...changes }
    const { body } = await rest('POST', '/app', app)
    return { appId: body.appId, problems: (body.errors ?? []).map(wordsOf) }
  },
  async GraphQL(changes: Body = {}): Promise<{ appId?: string; problems: string[] }> {
    const input = { name: 'Pad', accountId, appType: 'SCRATCH', port: 3000, ...changes }
    const { data, errors = [] } = await graphql(CREATE_APP, { input })
    return { appId: data?.createApp?.app?.id, problems: (errors[0]?.extensions.fields ?? []).map(wordsOf) }
  },
}

const wordsOf = ({ field, message }: { field: string; message: string }) => `${field}: ${message}`

describe.each(['REST', 'GraphQL'] as const)('a type added by one folder and one line, over %s', (api) => {
  test('creates an app, shown by its names and with its configuration', async () => {
    const { appId } = await createApp[api]({ scratchConfig: { colour: 'BLUE' }, dockerPresetVersion: 'SCRATCHPAD_2' })
    expect((await rest('GET', `/app?appId=${appId}`)).body).toMatchObject({
      appType: 'scratch',
      dockerPreset: 'SCRATCHPAD',
      dockerPresetVersion: 'SCRATCHPAD_2',
      scratchConfig: { colour: 'BLUE' },
      jobConfig: null,
      useTCP: true,
    })
    const read = `{ app(id: "${appId}") { type dockerPreset scratchConfig { colour } jobConfig { command } } }`
    expect((await graphql(read)).data.app).toEqual({
      type: 'SCRATCH',
      dockerPreset: 'SCRATCHPAD',
      scratchConfig: { colour: 'BLUE' },
      jobConfig: null,
    })
    const { apps } = (await rest('GET', '/apps')).body
    expect(apps.find((app: Body) => app.appId === appId)).toMatchObject({ dockerPreset: 'SCRATCHPAD' })
  })

  test('obeys its own schema, versions and port', async () => {
    expect(await createApp[api]({ scratchConfig: { pages: 99 } })).toMatchObject({
      problems: [expect.stringMatching(/^scratchConfig\.pages: /)],
    })
    expect(await createApp[api]({ dockerPresetVersion: 'SCRATCHPAD_99' })).toMatchObject({
      problems: ['dockerPresetVersion: must be one of SCRATCHPAD_1, SCRATCHPAD_2'],
    })
    expect(await createApp[api]({ port: undefined })).toMatchObject({
      problems: ['port: is required unless the app is a Job'],
    })
    expect(await createApp[api]({ jobConfig: { command: 'true' } })).toMatchObject({
      problems: ['jobConfig: is only for Job apps'],
    })
    const other = { dockerPreset: 'CUSTOM', appType: undefined, scratchConfig: { colour: 'RED' } }
    expect(await createApp[api](other)).toMatchObject({
      problems: ['scratchConfig: is only for Scratchpad apps'],
    })
  })
})

const deployOver = {
  REST: (appEnvId: string) => rest('POST', '/app-env/deploy-image', { appEnvId, image }, { prefer: 'wait=60' }),
  GraphQL: (appEnvId: string) =>
    graphql(
      'mutation ($input: DeployImageInput!) { deployImage(input: $input) { success message operation { status } } }',
      { input: { appEnvId, image, waitSeconds: 60 } },
    ),
}

describe.each(['REST', 'GraphQL'] as const)('its environment, over %s', (api) => {
  let appEnvId: string

  beforeAll(async () => {
    const { appId } = await createApp[api]()
    const common = { accountId, appId, region: 'local', startupConfig: startup }
    const name = api.toLowerCase()
    const created = await rest('POST', '/app-env', { ...common, name })
    appEnvId = created.body.appEnvId
    const { cliEnvName } = (await rest('GET', `/app-env?appEnvId=${appEnvId}`)).body
    const envVars = [{ name: 'PEER', value: `\${${cliEnvName}.internalUrl}` }]
    await rest('PUT', '/app-env', { appEnvId, envVars })
    await deployOver[api](appEnvId)
  })

  const status = async () => (await rest('GET', `/app-env/status?appEnvId=${appEnvId}`)).body
  const logsOf = async (type: string): Promise<string[]> => {
    const { logs } = (await rest('GET', `/logs?appEnvId=${appEnvId}&type=${type}`)).body
    return logs.map((line: { message: string }) => line.message)
  }

  test('is deployed with as many containers as its type wants, and has no hosts', async () => {
    expect(await status()).toMatchObject({
      status: 'RUNNING',
      hosts: [],
      replicas: { desired: 2, running: 2, ready: 2 },
      latestDeployment: { status: 'DEPLOYED' },
      pendingChanges: { changes: [] },
    })
    const refused = await rest('POST', '/app-env/host', { appEnvId, host: 'pad.example.com' })
    expect(refused.body).toMatchObject({ reason: 'NOT_ROUTED' })
    const autoScaling = { enabled: true, min: 1, max: 2 }
    expect((await rest('PATCH', '/app-env/scaling', { appEnvId, autoScaling })).status).toBe(400)
    expect((await rest('PUT', '/app-env', { appEnvId, volume: { path: '/data', disk: 10 } })).status).toBe(400)
  })

  test('is probed by its type’s rule, and found by its log type', async () => {
    await expect.poll(() => logsOf('SCRATCHPAD_OUTPUT')).toContain('asked /scratch-ready')
    expect(await logsOf('WEB_APP')).toEqual([])
    const query = `{ logs(appEnvId: "${appEnvId}", type: SCRATCHPAD_OUTPUT) { nodes { message } } }`
    const { data } = await graphql(query)
    expect(data.logs.nodes).toContainEqual({ message: 'asked /scratch-ready' })
  })

  test('is reached with its type’s protocol', async () => {
    await expect.poll(() => logsOf('SCRATCHPAD_OUTPUT')).toContainEqual(expect.stringMatching(/^peer is scratch:\/\//))
  })

  test('is scaled by its type, and its configuration is pending until it is applied', async () => {
    await rest('PUT', '/app-env', { appEnvId, scratchConfig: { colour: 'BLUE' } })
    await rest('PATCH', '/app-env/scaling', { appEnvId, containers: 2 })
    expect((await status()).pendingChanges.changes).toEqual([
      { kind: 'DEPLOY', field: 'scratchConfig', from: { colour: 'RED' }, to: { colour: 'BLUE' } },
      { kind: 'SCALE', field: 'containers', from: 2, to: 4 },
    ])
    await rest('POST', '/app-env/apply-changes', { appEnvId }, { prefer: 'wait=60' })
    expect(await status()).toMatchObject({ pendingChanges: { changes: [] }, replicas: { desired: 4 } })
  })
})

test('is documented by both APIs', async () => {
  const { body: openapi } = await send('/openapi.json', 'GET')
  const input = openapi.components.schemas.CreateAppInput.properties
  expect(input.scratchConfig).toMatchObject({ description: 'Paper of a Scratchpad app.', type: 'object' })
  expect(input.appType.enum).toContain('scratch')
  expect(input.dockerPreset.enum).toContain('SCRATCHPAD')
  expect(openapi.components.schemas.App.properties.scratchConfig.description).toBe('Paper of a Scratchpad app.')
  const sdl = printSchema(buildClientSchema((await graphql(getIntrospectionQuery())).data))
  expect(sdl).toContain('scratchConfig: ScratchConfigInput')
  expect(sdl).toContain('"""The preset SCRATCHPAD, of the type SCRATCH."""')
  expect(sdl).toMatch(/enum LogType \{[^}]*SCRATCHPAD_OUTPUT/)
  expect(sdl).toMatch(/enum ScratchColour \{[^}]*BLUE/)
})
