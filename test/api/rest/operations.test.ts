import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let call: ReturnType<typeof serveRest>['call']

beforeAll(async () => {
  world = await createWorld()
  call = serveRest(world).call
})

afterAll(() => world.close())

const begin = async (appEnvId: string, image = 'nginx:1') => {
  const { headers } = await call('POST', '/app-env/deploy-image', { body: { appEnvId, image } })
  return headers.get('operation-location')?.split('=')[1] ?? ''
}

describe('an operation', () => {
  test('is found at the address in the lifecycle answer', async () => {
    const { appEnvId } = await world.appEnv()
    const { headers } = await call('POST', '/app-env/deploy-image', { body: { appEnvId, image: 'nginx:1' } })
    const location = headers.get('operation-location') ?? ''
    const { body } = await call('GET', `/${location}`)
    expect(body).toMatchObject({ appEnvId, kind: 'DEPLOY_IMAGE', status: 'QUEUED', steps: [], finishedAt: null })
  })

  test('is superseded by a newer one, and listed with it', async () => {
    const { appEnvId } = await world.appEnv()
    const older = await begin(appEnvId)
    const newer = await begin(appEnvId, 'nginx:2')
    const { body } = await call('GET', '/operations', { query: { appEnvId } })
    expect(body.operations).toMatchObject([
      { operationId: newer, status: 'QUEUED' },
      { operationId: older, status: 'CANCELLED', reason: 'SUPERSEDED' },
    ])
  })

  test('is cancelled once', async () => {
    const { appEnvId } = await world.appEnv()
    const operationId = await begin(appEnvId)
    const cancelled = await call('POST', '/operation/cancel', { body: { operationId } })
    expect(cancelled.body).toMatchObject({ success: true, appEnv: { appEnvId, status: 'PENDING' } })
    const again = await call('POST', '/operation/cancel', { body: { operationId } })
    expect(again.body).toMatchObject({ status: 409, reason: 'OPERATION_ENDED' })
  })

  test('that used up every attempt is listed, and can be retried', async () => {
    const { appEnvId } = await world.appEnv()
    const operationId = await begin(appEnvId)
    await world.endOperation(operationId, 'DEAD_LETTER')
    const dead = await call('GET', '/operations', { query: { appEnvId, isDeadLetter: 'true' } })
    expect(dead.body.operations).toMatchObject([{ operationId, isDeadLetter: true }])
    const retried = await call('POST', '/operation/retry', { body: { operationId } })
    expect(retried.body.appEnv.status).toBe('UPDATING')
    const { body } = await call('GET', `/${retried.headers.get('operation-location')}`)
    expect(body).toMatchObject({ retriesId: operationId, status: 'QUEUED' })
  })
})
