import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CreateAppInput, createAppInput, updateAppInput } from '../../src/services/app/app-input.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { createCredential } from '../../src/services/credential/credential-commands.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { readGraphQL, readRest } from './read-apis.ts'
import { asInRest, fieldsAsInRest, wholeField } from './whole-field.ts'

let world: World
let served: Served
let credentialId: string

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  const data = { registry: 'registry.example.com', username: 'ann', password: 'secret' }
  const login = { accountId: world.accountId, type: 'CONTAINER_REGISTRY', name: 'login', data }
  credentialId = (await world.perform(createCredential, login)).credentialId
})

afterAll(async () => {
  await served.close()
  await world.close()
})

/** The compiler does not know the configuration of app types. */
type Field = Exclude<keyof CreateAppInput, 'appEnv'> | 'jobConfig' | 'functionConfig' | 'databaseSettings'

const GITHUB = { gitProvider: 'GITHUB', gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '42' }
const CREDENTIAL = 'the credential made above'
const FUNCTION = { minScale: 1, maxScale: 2, concurrency: 3, idleSeconds: 4, timeoutSeconds: 5 }

const CHECK = {
  type: 'COMMAND',
  path: null,
  port: null,
  headers: null,
  command: ['node', 'check.js'],
  initialDelaySeconds: 1,
  periodSeconds: 2,
  timeoutSeconds: 3,
  failureThreshold: 4,
}

const BUILD = { cpu: 0.5, memoryMb: 512, diskMb: 1000, timeoutSeconds: 60 }

/** Every field of a new app, with a value that is not the default, and the fields that it depends on. */
const VALUES: Record<Field, Record<string, unknown>> = {
  name: { name: 'Readable' },
  accountId: {},
  port: { port: 3000 },
  dockerPreset: { dockerPreset: 'NEXT_JS' },
  dockerPresetVersion: { dockerPreset: 'NEXT_JS', dockerPresetVersion: 'NEXT_JS_NODE_JS_22' },
  useImage: { useImage: true, image: 'nginx:1' },
  image: { useImage: true, image: 'nginx:2' },
  builder: { builder: 'NIXPACKS' },
  buildArgs: { buildArgs: 'A=1' },
  buildTarget: { buildTarget: 'builder' },
  contextDir: { contextDir: './web' },
  dockerfilePath: { dockerfilePath: 'web/Dockerfile' },
  customDockerfileContent: { customDockerfileContent: 'FROM scratch' },
  healthCheckPath: { healthCheckPath: '/ready' },
  healthCheckPort: { healthCheckPort: 9000 },
  healthCheckHeaders: { healthCheckHeaders: { Host: 'shop.test' } },
  healthCheck: { healthCheck: CHECK },
  imagePullAccountSecretId: { imagePullAccountSecretId: CREDENTIAL },
  buildPullAccountSecretId: { buildPullAccountSecretId: CREDENTIAL },
  buildResources: { buildResources: BUILD },
  useVolume: { useVolume: true, volumePath: '/data' },
  volumePath: { volumePath: '/data' },
  databaseSettings: { dockerPreset: 'REDIS', port: undefined, databaseSettings: { timeout: 60 } },
  jobConfig: { dockerPreset: 'JOB', jobConfig: { command: 'migrate' } },
  appType: { appType: 'job' },
  gitProvider: GITHUB,
  gitNamespace: GITHUB,
  gitRepo: GITHUB,
  gitInstallationId: GITHUB,
  isCliDeployment: { isCliDeployment: true },
  labels: { labels: { team: 'checkout', 'example.com/tier': '1' } },
  functionConfig: { dockerPreset: 'FUNCTION', functionConfig: FUNCTION },
}

/** Fields that GraphQL reads under another name: relations are followed, and enums are in upper case. */
const IN_GRAPHQL: Partial<Record<Field, { selection: string; value(input: unknown): unknown }>> = {
  accountId: { selection: 'account { id }', value: (id) => ({ id }) },
  appType: { selection: 'type', value: (type) => String(type).toUpperCase() },
}

/** Fields of PATCH /app that request an action and do not describe the app. */
const NOT_KEPT = ['appId', 'applyImmediately']

test('every field of PATCH /app is a field of POST /app', () => {
  const known = [...Object.keys(createAppInput.shape), ...NOT_KEPT]
  expect(Object.keys(updateAppInput.shape).filter((field) => !known.includes(field))).toEqual([])
})

test('this test covers every field of POST /app', () => {
  // The first environment is a thing of its own, in test/services/first-app-env.test.ts.
  expect([...Object.keys(VALUES), 'appEnv'].sort()).toEqual(Object.keys(createAppInput.shape).sort())
})

describe.each(Object.keys(VALUES) as Field[])('%s', (field) => {
  test('reads back as it was set, through both APIs', async () => {
    const set = Object.entries({ name: 'App', accountId: world.accountId, port: 80, ...VALUES[field] })
    const input = Object.fromEntries(set.map(([key, value]) => [key, value === CREDENTIAL ? credentialId : value]))
    const { appId } = await world.perform(createApp, input)
    const rest = await readRest(served, world.adminToken, 'getApp', { appId })
    // What is not set of an object has its default.
    expect({ read: rest.body[field] }).toMatchObject({ read: input[field] })
    const { selection, value } = IN_GRAPHQL[field] ?? { selection: wholeField('App', field), value: asInRest }
    const graphql = await readGraphQL(served, world.adminToken, `app(id: "${appId}") { read: ${selection} }`)
    expect({ ...graphql, body: fieldsAsInRest(graphql.body) }).toMatchObject({
      code: null,
      body: { read: value(input[field]) },
    })
  })
})
