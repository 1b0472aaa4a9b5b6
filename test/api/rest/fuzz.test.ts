import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Route } from '../../../src/api/rest/protocol/route.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let call: ReturnType<typeof serveRest>['call']

/** Values that pass the first validation, by the name of the field. */
const fine: Record<string, unknown> = {
  name: 'Fuzz',
  port: 80,
  region: 'local',
  image: 'nginx:1',
  email: 'a@example.com',
  roles: ['AUDIT'],
  kind: 'USER',
  type: 'BASIC_AUTH',
  data: { username: 'a', password: 'b' },
  dockerPreset: 'CUSTOM',
  limit: 5,
  decrypt: true,
  envVars: [{ name: 'A', value: 'b' }],
  startupConfig: { command: 'run' },
  healthCheckHeaders: { 'X-A': 'b' },
}

beforeAll(async () => {
  // No host on the internet is asked for its branches.
  world = await createWorld({ settings: { BERTH_GITHUB_URL: 'https://127.0.0.1:1' } })
  call = serveRest(world).call
  const { accountId, appId, appEnvId } = await world.appEnv()
  const contentId = await world.deploy(appEnvId)
  await world.deploy(appEnvId, 'nginx:2')
  const { userId, tokenId } = await world.user()
  const [operation] = await world.operationsOf(appEnvId)
  const ids = {
    accountId,
    appId,
    appEnvId,
    contentId,
    targetContentId: contentId,
    userId,
    tokenId,
    operationId: operation?.id,
  }
  Object.assign(fine, ids)
})

afterAll(() => world.close())

const RUNS = 500

const hostile = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '../../etc/passwd',
    "'; DROP TABLE app; --",
    '__proto__',
    'x'.repeat(5000),
  ),
  fc.constantFrom(-1, 0, 1e308, 2 ** 53, 0.1, null, true, [], {}, ['\0'], { '\0': '\0' }),
  fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T23:59:59+23:59', '99999999999999999999'),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
)

const fieldsOf = (route: Route): string[] =>
  Object.keys(('read' in route ? route.read.query : route.command.input).shape)

/** Mostly right, with a wrong value here and there: if everything is wrong, only the first check runs. */
const request = fc.constantFrom(...routes).chain((route) => {
  const names = fieldsOf(route)
  const some =
    names.length === 0 ? fc.constant<string[]>([]) : fc.subarray(names, { minLength: Math.ceil(names.length / 3) })
  return fc.record({
    route: fc.constant(route),
    some,
    wrong: fc.dictionary(fc.constantFrom(...names, 'other'), hostile, { maxKeys: 2 }),
  })
})

const statuses = new Map<number, number>()

test('no request to any path causes an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ route, some, wrong }) => {
      const right = Object.fromEntries(some.flatMap((name) => (name in fine ? [[name, fine[name]]] : [])))
      const input = { ...right, ...wrong }
      const takesQuery = route.method === 'GET' || route.method === 'DELETE'
      const asText = Object.fromEntries(Object.entries(input).map(([name, item]) => [name, String(item)]))
      const query = { ...(takesQuery ? asText : {}), ...(route.method === 'GET' ? {} : { dryRun: 'true' }) }
      const { status, text } = await call(route.method, route.path, { query, ...(takesQuery ? {} : { body: input }) })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status, `${route.method} ${route.path} ${JSON.stringify(input)}: ${text}`).toBeLessThan(500)
    }),
    { numRuns: RUNS },
  )
  // Otherwise the fuzzer would only have tested the validation.
  for (const status of [200, 400, 404]) expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5)
}, 120_000)
