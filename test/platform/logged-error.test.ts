import { describe, expect, test } from 'vitest'
import { runtimeUnavailable, unavailable } from '../../src/domain/errors.ts'
import { RuntimeError } from '../../src/engines/runtime/container-runtime.ts'
import { loggedError } from '../../src/platform/log.ts'
import { Prisma } from '../../src/storage/database/generated/prisma/client.ts'
import { LeaseLost } from '../../src/worker/claim/abandoned.ts'
import { maskedError } from '../../src/worker/text/masked-error.ts'

const prisma = (code: string, message: string) =>
  new Prisma.PrismaClientKnownRequestError(message, { code, clientVersion: '7' })
const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })

describe('an error in the log', () => {
  test.each([
    ['an image that is not found', new RuntimeError('IMAGE_NOT_FOUND', 'nginx:alpne was not found')],
    [
      'the same, with its secrets masked',
      maskedError(new RuntimeError('IMAGE_NOT_FOUND', 'not found'), (text) => text),
    ],
    ['a database that does not answer', prisma('P1001', 'Can’t reach database server')],
    [
      'a raw statement that is not answered',
      prisma('P2010', "Raw query failed. Code: `N/A`. Message: `Can't reach database server`"),
    ],
    ['a database that stops', prisma('P2010', 'Raw query failed. Code: `57P01`.')],
    ['a request that was refused because of it', Object.assign(unavailable('later', 2), { cause: refused() })],
    ['an engine that does not answer', runtimeUnavailable('The container engine does not answer')],
    ['an engine that refuses a call', Object.assign(new Error('(HTTP code 500) no space'), { statusCode: 500 })],
    ['a lease that was lost', new LeaseLost('lost')],
    ['a connection that is refused, in an error of fetch', new TypeError('fetch failed', { cause: refused() })],
    ['a time that is up', new DOMException('The operation timed out', 'TimeoutError')],
  ])('has no stack trace for %s', (_, error) => {
    const logged = loggedError(error)
    expect(logged).not.toHaveProperty('stack')
    expect(logged.message).toContain(error.message)
  })

  test.each([
    ['a type that is wrong', new TypeError('undefined is not a function')],
    ['an error that nobody expected', new Error('The row is gone')],
    ['a statement that is wrong', prisma('P2010', 'Raw query failed. Code: `42703`. Message: no such column')],
    ['a unique key that exists', prisma('P2002', 'Unique constraint failed')],
  ])('has one for %s', (_, error) => {
    expect(loggedError(error).stack).toContain('logged-error.test.ts')
  })
})
