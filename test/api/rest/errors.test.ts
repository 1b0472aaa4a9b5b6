import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CATALOGUE } from '../../../src/api/http/error-catalogue.ts'
import { problem, renderProblem } from '../../../src/api/rest/protocol/errors.ts'
import { DomainError, type ErrorCode, invalidField } from '../../../src/domain/errors.ts'
import { createServices } from '../../../src/services/services.ts'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

/** Contract §1, Errors; CURSOR_EXPIRED is of §6. */
const STATUSES: Record<ErrorCode, number> = {
  INVALID_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  CURSOR_EXPIRED: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  INSTALLATION_INCOMPLETE: 502,
  UNAVAILABLE: 503,
  RUNTIME_UNAVAILABLE: 503,
}

const at = { path: '/api/public/v1/app', requestId: 'req_1', isLifecycle: false }

describe('a problem', () => {
  test.each(Object.entries(STATUSES))('with the code %s has the status %i', (code, status) => {
    const { body, headers } = renderProblem(new DomainError(code as ErrorCode, 'WHY', 'what is wrong'), at)
    expect(problem.strict().parse(body)).toMatchObject({
      status,
      code,
      reason: 'WHY',
      detail: 'what is wrong',
      message: 'what is wrong',
    })
    expect(body).toMatchObject({ type: `/docs/errors#${code}`, instance: at.path, requestId: 'req_1' })
    expect(headers['Content-Type']).toBe('application/problem+json')
    expect('Retry-After' in headers).toBe(status === 429 || status === 503)
  })

  test('names the wrong fields, and says success: false on lifecycle paths only', () => {
    const refusal = invalidField('envVars.0.name', 'is required')
    expect(renderProblem(refusal, at).body.errors).toEqual([{ field: 'envVars.0.name', message: 'is required' }])
    expect(renderProblem(refusal, at).body).not.toHaveProperty('success')
    expect(renderProblem(refusal, { ...at, isLifecycle: true }).body.success).toBe(false)
  })

  test('covers every error code', () => {
    expect(Object.keys(STATUSES).sort()).toEqual(Object.keys(ERROR_CATALOGUE).sort())
  })
})

test('an unreachable database is 503, and says when to try again', async () => {
  const database = createDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nowhere', poolSize: 1 })
  const services = createServices({ ...world, database })
  const { call } = serveRest(world, { services })
  const { body, headers } = await call('GET', '/apps')
  expect(body).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  expect(headers.has('retry-after')).toBe(true)
  await database.$disconnect()
})

describe('the access log', () => {
  const logged = async (level: string, send: (call: ReturnType<typeof serveRest>['call']) => Promise<unknown>) => {
    const lines: string[] = []
    const sink = { write: (line: string) => lines.push(line) }
    await send(serveRest(world, { log: pino({ level }, sink) }).call)
    return lines.map((line) => JSON.parse(line))
  }

  test('has a line for every write and refusal, without query, body or token', async () => {
    const { tokenId, token } = await world.user()
    const lines = await logged('info', async (call) => {
      await call('GET', '/apps', { token })
      await call('GET', '/app', { token, query: { appId: 'app_secret' }, headers: { 'X-Request-Id': 'refused-1' } })
      await call('POST', '/app', { token, body: { name: 'Logged', accountId: world.accountId, port: 80 } })
    })
    expect(lines).toMatchObject([
      {
        method: 'GET',
        path: '/api/public/v1/app',
        status: 404,
        requestId: 'refused-1',
        tokenId,
        ms: expect.any(Number),
      },
      { method: 'POST', path: '/api/public/v1/app', status: 200, tokenId },
    ])
    for (const secret of [token, 'app_secret', 'Logged']) expect(JSON.stringify(lines)).not.toContain(secret)
  })

  test('includes reads at debug', async () => {
    const lines = await logged('debug', (call) => call('GET', '/apps'))
    expect(lines).toMatchObject([{ method: 'GET', path: '/api/public/v1/apps', status: 200 }])
  })
})
