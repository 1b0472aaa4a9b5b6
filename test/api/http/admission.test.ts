import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Admission, createAdmission } from '../../../src/api/http/admission.ts'
import { createRateLimits } from '../../../src/api/http/rate-limits.ts'
import { DomainError } from '../../../src/domain/errors.ts'
import { networkOf, TrustedProxies } from '../../../src/domain/trusted-proxies.ts'
import { createToken } from '../../../src/services/token/token-commands.ts'
import { newSecret } from '../../../src/storage/secrets/token-secret.ts'
import { createWorld, type World } from '../../support/world.ts'

const LIMITS = {
  BERTH_RATE_LIMIT: 4,
  BERTH_ANONYMOUS_RATE_LIMIT: 3,
  BERTH_OPERATION_RATE_LIMIT: 100,
  BERTH_REGISTRY_LOGIN_RATE_LIMIT: 10,
  BERTH_LOOKUP_RATE_LIMIT: 10,
}
const ADDRESS = '203.0.113.7'

const statements: string[] = []
let world: World

beforeAll(async () => {
  world = await createWorld({ onQuery: (sql) => statements.push(sql) })
})
afterAll(() => world.close())

const admissionOf = (authenticate = world.services.authenticate) =>
  createAdmission(authenticate, createRateLimits(LIMITS))

/** The code of the refusal; null when the request was admitted with a caller. */
async function codeOf(admission: Admission, authorization: string | null, address = ADDRESS): Promise<string | null> {
  try {
    const { refusal } = await admission.admit({ address, authorization })
    return refusal ? (refusal as DomainError).code : null
  } catch (error) {
    return (error as DomainError).code
  }
}

async function codesOf(times: number, ...of: Parameters<typeof codeOf>): Promise<(string | null)[]> {
  const codes = []
  for (let count = 0; count < times; count += 1) codes.push(await codeOf(...of))
  return codes
}

describe('counting before the database', () => {
  test('a request over the budget of its account costs no statement', async () => {
    const { token } = await world.user({ accountId: await world.account() })
    const admission = admissionOf()
    expect(await codesOf(4, admission, token)).toEqual([null, null, null, null])
    await new Promise((resolve) => setTimeout(resolve, 600))
    statements.length = 0
    expect(await codesOf(3, admission, token)).toEqual(['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED'])
    expect(statements).toEqual([])
  })

  test('all tokens of an account share one budget', async () => {
    const user = await world.user({ accountId: await world.account() })
    const input = { kind: 'SCOPED', name: 'second', scopes: ['svc:read'] }
    const { token: second } = (await world.perform(createToken, input, { as: user.token })) as { token: string }
    const admission = admissionOf()
    expect(await codesOf(3, admission, user.token)).toEqual([null, null, null])
    expect(await codesOf(2, admission, second)).toEqual([null, 'RATE_LIMITED'])
    expect(await codeOf(admission, user.token)).toBe('RATE_LIMITED')
  })

  test('unknown tokens are limited by address, then refused without a statement, and a known token still gets in', async () => {
    const { token } = await world.user({ accountId: await world.account() })
    const admission = admissionOf()
    expect(await codeOf(admission, token)).toBe(null)
    const tries = []
    for (let count = 0; count < 3; count += 1) tries.push(await codeOf(admission, newSecret('USER')))
    expect(tries).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED', 'UNAUTHENTICATED'])
    statements.length = 0
    expect(await codeOf(admission, newSecret('USER'))).toBe('RATE_LIMITED')
    expect(await codeOf(admission, null)).toBe('UNAUTHENTICATED')
    expect(statements).toEqual([])
    expect(await codeOf(admission, token)).toBe(null)
    expect(await codeOf(admission, newSecret('USER'), '203.0.113.8')).toBe('UNAUTHENTICATED')
  })

  test('many unknown tokens at once do not slip past the limit together', async () => {
    const admission = admissionOf()
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(admission, newSecret('USER'))))
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(3)
  })

  test('an outage of the database is 503 for valid callers, however long it lasts', async () => {
    const { token } = await world.user({ accountId: await world.account() })
    const away = new DomainError('UNAVAILABLE', undefined, 'The database does not answer')
    const admission = admissionOf(() => Promise.reject(away))
    expect(await codesOf(15, admission, token)).toEqual(Array(15).fill('UNAVAILABLE'))
  })

  test('one address has a budget for all its accounts', async () => {
    const admission = admissionOf()
    const codes = []
    for (let count = 0; count < 6; count += 1) {
      const { token } = await world.user({ accountId: await world.account() })
      codes.push(...(await codesOf(4, admission, token)))
    }
    expect(codes.indexOf('RATE_LIMITED')).toBe(20)
  })
})

describe('trusted proxies', () => {
  const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8'])

  test.each([
    ['203.0.113.7', '6.6.6.6', '203.0.113.7'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['::ffff:127.0.0.1', '6.6.6.6,203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['127.0.0.1', '10.9.9.9', '10.9.9.9'],
    ['127.0.0.1', '6.6.6.6, nonsense', '127.0.0.1'],
    ['127.0.0.1', 'nonsense, 10.1.2.3', '10.1.2.3'],
    ['127.0.0.1', ' 2001:db8::1 ', '2001:db8::1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', ','.repeat(10_000), '127.0.0.1'],
  ])('a request of %s that was forwarded for %j comes from %s', (peer, forwardedFor, client) => {
    expect(proxies.clientOf(peer, forwardedFor)).toBe(client)
  })

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
