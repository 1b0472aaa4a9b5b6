import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyRegistry } from '../support/empty-registry.ts'
import { repetitions } from '../support/repetitions.ts'
import { eventually } from '../worker/fixtures.ts'
import { ask } from './clients.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { sampleStartup } from './sample-app.ts'

/** A bound on a hang, not a measure. */
const TIMEOUT_MS = 120_000

/** Is ready, and dies soon after. */
const MAYFLY = `
require('node:http').createServer((request, response) => response.end('alive')).listen(Number(process.env.PORT))
setTimeout(() => process.exit(1), 1500)`

let berth: TestPlatform

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_READY_TIMEOUT_SECONDS: '60' })
})

afterAll(() => berth?.stop())

interface WaitAnswer {
  success: boolean
  message: string
  status: string
  operation: string | null
}

async function overRest(appEnvId: string, image: string, seconds = 60): Promise<WaitAnswer> {
  const response = await berth.rest('POST', '/app-env/deploy-image', { appEnvId, image }, { prefer: `wait=${seconds}` })
  expect(response.status).toBe(200)
  const { success, message, appEnv } = (await response.json()) as Omit<WaitAnswer, 'status'> & {
    appEnv: { status: string }
  }
  return { success, message, status: appEnv.status, operation: response.headers.get('operation-status') }
}

async function overGraphQL(appEnvId: string, image: string, waitSeconds = 60): Promise<WaitAnswer> {
  const query = `mutation ($input: DeployImageInput!) {
    deployImage(input: $input) { success message appEnv { status } operation { status } } }`
  const response = await fetch(`${berth.platform.apiUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: berth.platform.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input: { appEnvId, image, waitSeconds } } }),
  })
  const { data } = (await response.json()) as {
    data: { deployImage: Omit<WaitAnswer, 'status' | 'operation'> & Nested }
  }
  const { success, message, appEnv, operation } = data.deployImage
  return { success, message, status: appEnv.status, operation: operation.status }
}

interface Nested {
  appEnv: { status: string }
  operation: { status: string }
}

const configure = (appEnvId: string, name: string, value: string) =>
  berth.ok('PUT', '/app-env', { appEnvId, startupConfig: sampleStartup, envVars: [{ name, value }] })

/** What both APIs wait for is compared in test/parity/waits.test.ts. */
const APIS: [string, typeof overRest][] = repetitions(
  [['GraphQL', overGraphQL]],
  [
    ['REST', overRest],
    ['GraphQL', overGraphQL],
  ],
)

describe.each(APIS)('a deployment that is waited for over %s', (name, deploy) => {
  test('says what it did, why it failed, and what serves', { timeout: TIMEOUT_MS }, async () => {
    await using registry = await emptyRegistry()
    const missing = `${registry.address}/team/alpne:1`
    const notFound = `${missing} was not found in the registry ${registry.address}.`
    const { appEnvId } = await berth.createSample(`Outcome ${name}`)
    expect(await deploy(appEnvId, missing)).toEqual({
      success: false,
      message: `Version 1 failed: ${notFound} Nothing serves: no version is deployed yet.`,
      status: 'PENDING',
      operation: 'FAILED',
    })
    expect(await deploy(appEnvId, berth.image)).toEqual({
      success: true,
      message: 'Version 2 is deployed',
      status: 'RUNNING',
      operation: 'SUCCEEDED',
    })
    expect(await deploy(appEnvId, missing)).toEqual({
      success: false,
      message: `Version 3 failed: ${notFound} Version 2 still serves.`,
      status: 'RUNNING',
      operation: 'FAILED',
    })
    await configure(appEnvId, 'BROKEN', 'exit')
    const exited = await deploy(appEnvId, berth.image)
    expect(exited).toMatchObject({ success: false, status: 'RUNNING', operation: 'FAILED' })
    expect(exited.message).toMatch(
      /^Version 4 failed: Container 0 exited with code 3.*\. Version 2 still serves\.\n.*open the safe/s,
    )
  })

  test('names the operation when the wait is over first', { timeout: TIMEOUT_MS }, async () => {
    const { appEnvId } = await berth.createSample(`Late ${name}`)
    await configure(appEnvId, 'BROKEN', 'never')
    const answered = await deploy(appEnvId, berth.image, 2)
    expect(answered).toMatchObject({ success: true, status: 'UPDATING', operation: 'RUNNING' })
    const operationId =
      /^Version 1 is still in progress, and the wait is over.*Read operation (op_\w+) for its outcome\.$/.exec(
        answered.message,
      )?.[1]
    const { status } = await berth.ok<{ status: string }>('GET', `/operation?operationId=${operationId}`)
    expect(status).toBe('RUNNING')
    await berth.ok('POST', '/operation/cancel', { operationId })
  })
})

test('the page of an app that ends after each start promises no repair', { timeout: TIMEOUT_MS }, async () => {
  const { appEnvId, host } = await berth.createSample('Mayfly')
  const startupConfig = { command: 'node', args: ['-e', MAYFLY], shell: false }
  await berth.ok('PUT', '/app-env', { appEnvId, startupConfig })
  expect(await overRest(appEnvId, berth.image)).toMatchObject({ success: true })
  const { status, body } = await eventually(
    () => ask(berth.platform.ingressUrl ?? '', host),
    (seen) => seen.body.includes('has ended each time'),
    60,
  )
  expect([status, JSON.parse(body).code]).toEqual([503, 'NO_READY_REPLICA'])
  expect(body).not.toContain('repaired')
})
