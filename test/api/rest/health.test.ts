import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReadinessCheck } from '../../../src/api/server/health.ts'
import { PART_STATES } from '../../../src/domain/part-states.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

const fine = { isRequired: true, check: () => ({ ready: true, reason: null }) }
const away = (isRequired: boolean): ReadinessCheck => ({
  isRequired,
  check: () => ({ ready: false, state: 'ENGINE_UNREACHABLE', reason: 'does not answer' }),
})

describe('readiness', () => {
  test('is 200 while every required part is ready, and names the others', async () => {
    const { call } = serveRest(world, { readiness: { database: fine, engine: away(false) } })
    const { status, body } = await call('GET', '//readyz', { token: null })
    expect([status, body]).toEqual([
      200,
      {
        ready: true,
        degraded: ['engine'],
        parts: {
          database: { ready: true, state: 'READY', reason: null, nextStep: null, isRequired: true },
          engine: {
            ready: false,
            state: 'ENGINE_UNREACHABLE',
            reason: 'does not answer',
            nextStep: PART_STATES.ENGINE_UNREACHABLE,
            isRequired: false,
          },
        },
      },
    ])
  })

  test('is 503 when a required part is unreachable, fails or hangs', async () => {
    const throws = { isRequired: true, check: () => Promise.reject(new Error('broken')) }
    const hangs = { isRequired: true, check: () => new Promise<never>(() => {}) }
    const { call } = serveRest(world, { readiness: { database: away(true), throws, hangs } })
    const { status, body } = await call('GET', '//readyz', { token: null })
    expect([status, body.ready]).toEqual([503, false])
    expect(body.parts).toMatchObject({
      throws: { state: 'FAILING', reason: 'broken' },
      hangs: { state: 'NO_ANSWER', reason: 'gave no answer within 2000 ms' },
    })
  })

  test('stays 200 while a required part that is not ready still serves, and a part with a remark is named', async () => {
    const full: ReadinessCheck = {
      isRequired: true,
      check: () => ({ ready: false, isServing: true, state: 'DATABASE_FULL', reason: 'full' }),
    }
    const jumped: ReadinessCheck = {
      isRequired: false,
      check: () => ({ ready: true, state: 'CLOCK_JUMPED', reason: 'went 60 s forward' }),
    }
    const { call } = serveRest(world, { readiness: { database: full, clock: jumped } })
    const { status, body } = await call('GET', '//readyz', { token: null })
    expect([status, body.degraded]).toEqual([200, ['database', 'clock']])
    expect(body.parts).toMatchObject({ database: { ready: false, state: 'DATABASE_FULL' }, clock: { ready: true } })
  })

  test('ends when the process is stopping, while liveness stays', async () => {
    const { api, call } = serveRest(world, { readiness: { database: fine } })
    api.drain()
    expect((await call('GET', '//readyz', { token: null })).body).toMatchObject({ ready: false, draining: true })
    expect((await call('GET', '//livez', { token: null })).text).toBe('ok')
  })
})

describe('metrics', () => {
  test('count requests by route pattern, and are for the installation’s admin', async () => {
    const { call } = serveRest(world)
    await call('GET', '/apps')
    await call('GET', '/nowhere/else')
    const { text, headers } = await call('GET', '//metrics')
    expect(headers.get('content-type')).toContain('text/plain')
    expect(text).toContain('berth_http_requests_total{method="GET",route="/api/public/v1/apps",status="200"} 1')
    expect(text).toContain('route="other",status="404"} 1')
    expect(text).not.toContain('nowhere')
    const { token } = await world.user({ roles: ['ADMIN'] })
    expect((await call('GET', '//metrics', { token })).body).toMatchObject({
      status: 403,
      reason: 'INSTALLATION_ADMIN_REQUIRED',
    })
    expect((await call('GET', '//metrics', { token: null })).status).toBe(401)
  })
})
