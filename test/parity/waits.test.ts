import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/api/rest/routes.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { changeVariables } from '../../src/services/app-env/variable-commands.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import { retryOperation } from '../../src/services/operation/retry-operation.ts'
import { notifyCodeUpload } from '../../src/services/upload/notify-code-upload.ts'
import type { Outcome } from '../support/end-operation.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
})

const API_NAMES = ['REST', 'GraphQL'] as const
type ApiName = (typeof API_NAMES)[number]

interface WaitAnswer {
  operation: string | null
  status?: string
  success?: boolean
  message?: string
  appliedImmediately?: boolean
  notAppliedReason?: string | null
  notApplied?: { appEnvId: string; reason: string }[]
}

interface Asked {
  command: AnyCommand
  input: Record<string, unknown>
  /** Fields of the answer, in both APIs. */
  fields?: string
  waitSeconds?: number
  key?: string
}

const LIFECYCLE = 'success message'

async function overRest({ command, input, waitSeconds = 30, key }: Asked): Promise<WaitAnswer> {
  const route = routes.find((candidate) => 'command' in candidate && candidate.command.name === command.name)
  const asQuery = route?.method === 'DELETE'
  const query = new URLSearchParams(asQuery ? (input as Record<string, string>) : {})
  const response = await served.app.request(`/api/public/v1${route?.path}?${query}`, {
    method: route?.method ?? '',
    headers: {
      authorization: world.adminToken,
      'content-type': 'application/json',
      prefer: `wait=${waitSeconds}`,
      ...(key ? { 'idempotency-key': key } : {}),
    },
    ...(asQuery ? {} : { body: JSON.stringify(input) }),
  })
  const body = await response.json()
  expect([response.status, body]).toEqual([200, body])
  return { ...body, status: body.appEnv?.status, operation: response.headers.get('operation-status') }
}

async function overGraphQL({ command, input, fields = LIFECYCLE, waitSeconds = 30, key }: Asked): Promise<WaitAnswer> {
  const type = `${command.name[0]?.toUpperCase()}${command.name.slice(1)}Input`
  const appEnv = fields.includes('success') ? 'appEnv { status }' : ''
  // A call about an app begins one in each of its environments.
  const ofOperation = 'appId' in input ? '' : 'operation { status }'
  const response = await served.app.request('/graphql', {
    method: 'POST',
    headers: { authorization: world.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `mutation ($input: ${type}!) { ${command.name}(input: $input) { ${fields} ${appEnv} ${ofOperation} } }`,
      variables: { input: { ...input, waitSeconds, ...(key ? { idempotencyKey: key } : {}) } },
    }),
  })
  const { data, errors } = await response.json()
  expect(errors).toBeUndefined()
  const { appEnv: environment, operation, ...answered } = data[command.name]
  return { ...answered, status: environment?.status, operation: operation?.status ?? null }
}

const OVER: Record<ApiName, (asked: Asked) => Promise<WaitAnswer>> = { REST: overRest, GraphQL: overGraphQL }

const openOperation = (appEnvId: string) =>
  world.database.operation.findFirst({ where: { appEnvId, status: { in: ['QUEUED', 'RUNNING'] } } })

/** Calls, waits, and has the operation end meanwhile. */
async function outcomeOf(
  api: ApiName,
  appEnvId: string,
  asked: Asked,
  outcome: Outcome = 'FAILED',
): Promise<WaitAnswer> {
  const answer = OVER[api](asked)
  await expect.poll(() => openOperation(appEnvId)).not.toBeNull()
  await world.endOperation((await openOperation(appEnvId))?.id ?? null, outcome)
  return answer
}

/** An app with two environments that run, and a call about the app. */
async function twoEnvironments(command: AnyCommand, input = {}) {
  const { appId, appEnvId: good } = await world.appEnv()
  const { appEnvId: bad } = await world.appEnv({ appId, name: 'staging' })
  for (const appEnvId of [good, bad]) await world.deploy(appEnvId)
  return { good, bad, command, input: { appId, ...input } }
}

async function endAll(outcomes: Record<string, Outcome>): Promise<void> {
  for (const [appEnvId, outcome] of Object.entries(outcomes)) {
    await expect.poll(() => openOperation(appEnvId)).not.toBeNull()
    await world.endOperation((await openOperation(appEnvId))?.id ?? null, outcome)
  }
}

const running = async (versions = 1) => {
  const { appEnvId } = await world.appEnv()
  for (let version = 1; version <= versions; version += 1) await world.deploy(appEnvId, `shop:${version}`)
  return appEnvId
}

const stopped = async () => {
  const appEnvId = await running()
  await world.endOperation((await world.perform(stopAppEnv, { appEnvId })).operationId)
  return appEnvId
}

const withVariable = async () => {
  const appEnvId = await running()
  await world.perform(updateAppEnv, { appEnvId, envVars: [{ name: 'KEY', value: 'value' }] })
  return appEnvId
}

const scaled = async () => {
  const appEnvId = await running()
  await world.perform(changeScaling, { appEnvId, containers: 2 })
  return appEnvId
}

const fromSource = async (app: Record<string, unknown>) =>
  (await world.appEnv({ branch: 'main', app: { useImage: false, image: undefined, ...app } })).appEnvId

const uploaded = async () => {
  const appEnvId = await fromSource({ isCliDeployment: true })
  const storageKey = `upload of ${appEnvId}`
  const archive = { fileExtension: '.tar.gz', secretHash: 'x', sha256: 'x', sizeBytes: 1, uploadedAt: new Date() }
  const expiresAt = new Date(Date.now() + 3_600_000)
  await world.database.upload.create({ data: { id: storageKey, appEnvId, ...archive, expiresAt } })
  return { appEnvId, storageKey }
}

const CAUSE = 'The new version never became ready'
const AS_SERVED = 'Version 1 still serves.'

type Preparation = () => Promise<{ appEnvId: string } & Asked>

const lifecycle = (command: AnyCommand, state: () => Promise<string>, more = {}): Preparation => {
  return async () => {
    const appEnvId = await state()
    return { appEnvId, command, input: { appEnvId, ...more } }
  }
}

const cases: [message: string, status: string, Preparation][] = [
  [`Version 2 failed: ${CAUSE}. ${AS_SERVED}`, 'RUNNING', lifecycle(deployImage, running, { image: 'shop:2' })],
  [
    `Version 1 failed: ${CAUSE}. Nothing serves: no version is deployed yet.`,
    'PENDING',
    lifecycle(deployImage, async () => (await world.appEnv()).appEnvId, { image: 'shop:1' }),
  ],
  [
    `Version 1 failed: ${CAUSE}. Nothing serves: no version is deployed yet.`,
    'PENDING',
    lifecycle(buildAppEnv, () => fromSource({ gitRepo: 'https://git.example.com/shop' })),
  ],
  [
    `Version 1 failed: ${CAUSE}. Nothing serves: no version is deployed yet.`,
    'PENDING',
    async () => {
      const { appEnvId, storageKey } = await uploaded()
      return { appEnvId, command: notifyCodeUpload, input: { appEnvId, storageKey } }
    },
  ],
  [`Version 2 failed: ${CAUSE}. ${AS_SERVED}`, 'RUNNING', lifecycle(redeployAppEnv, running)],
  [`Version 3 failed: ${CAUSE}. Version 2 still serves.`, 'RUNNING', lifecycle(rollbackAppEnv, () => running(2))],
  [`Version 2 failed: ${CAUSE}. ${AS_SERVED}`, 'RUNNING', lifecycle(applyChanges, withVariable)],
  [`Applying the changes failed: ${CAUSE}. ${AS_SERVED}`, 'RUNNING', lifecycle(applyChanges, scaled)],
  [`Stopping the environment failed: ${CAUSE}. ${AS_SERVED}`, 'RUNNING', lifecycle(stopAppEnv, running)],
  [
    `Starting version 1 failed: ${CAUSE}. Nothing serves: the environment is stopped.`,
    'STOPPED',
    lifecycle(startAppEnv, stopped),
  ],
  [
    `Version 3 failed: ${CAUSE}. ${AS_SERVED}`,
    'RUNNING',
    async () => {
      const appEnvId = await running()
      const { operationId } = await world.perform(deployImage, { appEnvId, image: 'shop:2' })
      await world.endOperation(operationId, 'FAILED')
      return { appEnvId, command: retryOperation, input: { operationId } }
    },
  ],
]

describe.each(API_NAMES)('a wait over %s', (api) => {
  test.each(cases)('for an operation that fails says: %s', async (message, status, prepare) => {
    const { appEnvId, ...asked } = await prepare()
    const answered = await outcomeOf(api, appEnvId, asked)
    expect(answered).toMatchObject({ success: false, message, status, operation: 'FAILED' })
  })

  test('for a deletion that fails says so', async () => {
    const appEnvId = await running()
    const answered = await outcomeOf(api, appEnvId, { command: deleteAppEnv, input: { appEnvId }, fields: 'message' })
    const message = `Environment "production" is deleted. Removing the containers failed: ${CAUSE}.`
    expect(answered).toMatchObject({ message, operation: 'FAILED' })
  })

  test.each([
    ['setting', changeScaling, { containers: 2 }, `Applying the changes failed: ${CAUSE}. ${AS_SERVED}`],
    [
      'variable',
      changeVariables,
      { variables: [{ name: 'A', value: '1' }] },
      `Version 2 failed: ${CAUSE}. ${AS_SERVED}`,
    ],
    ['environment', updateAppEnv, { startupConfig: { command: 'run' } }, `Version 2 failed: ${CAUSE}. ${AS_SERVED}`],
  ] as const)(
    'for a changed %s that cannot be deployed says that it is not applied',
    async (_noun, command, change, why) => {
      const appEnvId = await running()
      const isSetting = (command as AnyCommand) === changeScaling
      const fields = `${isSetting ? 'success message ' : ''}appliedImmediately notAppliedReason`
      const input = { appEnvId, ...change, applyImmediately: true }
      const answered = await outcomeOf(api, appEnvId, { command, input, fields })
      expect(answered).toMatchObject({ appliedImmediately: false, notAppliedReason: why, operation: 'FAILED' })
      if (isSetting) expect(answered).toMatchObject({ success: false, message: `The scaling changed. ${why}` })
    },
  )

  test('for a change of an app names the environments that it could not be applied to', async () => {
    const { good, bad, ...asked } = await twoEnvironments(updateApp, { port: 81, applyImmediately: true })
    const answered = OVER[api]({ ...asked, fields: 'notApplied { appEnvId reason }' })
    await endAll({ [good]: 'SUCCEEDED', [bad]: 'FAILED' })
    expect(await answered).toMatchObject({
      notApplied: [{ appEnvId: bad, reason: `Version 2 failed: ${CAUSE}. ${AS_SERVED}` }],
      operation: api === 'REST' ? 'FAILED' : null,
    })
  })

  test('for the deletion of an app says what is left', async () => {
    const { good, bad, ...asked } = await twoEnvironments(deleteApp)
    const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: bad } })
    const answered = OVER[api]({ ...asked, fields: 'message' })
    await endAll({ [good]: 'SUCCEEDED', [bad]: 'FAILED' })
    expect((await answered).message).toMatch(
      new RegExp(`its 2 environment\\(s\\) are deleted\\. ${cliEnvName}: Removing the containers failed: ${CAUSE}\\.$`),
    )
  })

  test('for an operation that succeeds says what it did', async () => {
    const appEnvId = await running()
    const ok = (command: AnyCommand, more = {}) =>
      outcomeOf(api, appEnvId, { command, input: { appEnvId, ...more } }, 'SUCCEEDED')
    const deployed = { success: true, message: 'Version 2 is deployed', status: 'RUNNING', operation: 'SUCCEEDED' }
    expect(await ok(deployImage, { image: 'shop:2' })).toMatchObject(deployed)
    expect(await ok(stopAppEnv)).toMatchObject({
      success: true,
      message: 'The environment is stopped',
      status: 'STOPPED',
    })
    expect(await ok(startAppEnv)).toMatchObject({ success: true, message: 'Version 2 is started', status: 'RUNNING' })
  })

  test('for an operation that is cancelled, or gives way to a newer one, says so', async () => {
    const appEnvId = await running()
    const asked = { command: deployImage, input: { appEnvId, image: 'shop:2' } }
    const cancelled = OVER[api](asked)
    await expect.poll(() => openOperation(appEnvId)).not.toBeNull()
    await world.perform(cancelOperation, { operationId: (await openOperation(appEnvId))?.id })
    const onRequest = `Version 2 was cancelled on request. ${AS_SERVED}`
    expect(await cancelled).toMatchObject({ success: false, message: onRequest, operation: 'CANCELLED' })

    const superseded = OVER[api](asked)
    await expect.poll(() => openOperation(appEnvId)).not.toBeNull()
    await world.perform(deployImage, { appEnvId, image: 'shop:3' })
    const message = `Version 3 was cancelled: a newer operation took its place. ${AS_SERVED}`
    expect(await superseded).toMatchObject({ success: false, message, status: 'UPDATING', operation: 'CANCELLED' })
  })

  test('that is over first names the operation to read', async () => {
    const appEnvId = await running()
    const answered = await OVER[api]({ command: deployImage, input: { appEnvId, image: 'shop:2' }, waitSeconds: 1 })
    const { id } = (await openOperation(appEnvId)) ?? {}
    const message = `Version 2 is still in progress, and the wait is over. Read operation ${id} for its outcome.`
    expect(answered).toMatchObject({ success: true, message, status: 'UPDATING' })
    expect(answered.operation).toBe(api === 'REST' ? 'RUNNING' : 'QUEUED')
  })

  test('is repeated under its key with the same outcome, whatever became of the environment', async () => {
    const appEnvId = await running()
    const asked = { command: deployImage, input: { appEnvId, image: 'shop:2' }, key: `outcome-${api}` }
    const answered = await outcomeOf(api, appEnvId, asked)
    await world.deploy(appEnvId, 'shop:3')
    expect(await OVER[api](asked)).toEqual(answered)
  })
})

test('a call that cancels succeeds with the operation that it has cancelled', async () => {
  const appEnvId = await running()
  const { operationId } = await world.perform(deployImage, { appEnvId, image: 'shop:2' })
  const answered = await overRest({ command: cancelOperation, input: { operationId } })
  expect(answered).toMatchObject({ success: true, message: 'The operation is cancelled', operation: 'CANCELLED' })
})

test('a call that does not wait, or begins nothing, has no outcome', async () => {
  const appEnvId = await running()
  const nothing = await overRest({ command: applyChanges, input: { appEnvId } })
  expect(nothing).toMatchObject({ success: true, operation: null })
  const unwaited = await overRest({ command: deployImage, input: { appEnvId, image: 'shop:2' }, waitSeconds: 0 })
  expect(unwaited).toMatchObject({ success: true, message: 'Image deployment started', operation: null })
})
