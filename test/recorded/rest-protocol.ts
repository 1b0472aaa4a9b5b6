import type { Fixture } from './fixture.ts'

/** Decisions before any route: authentication, methods, paths and bodies. */
export async function restProtocol(fixture: Fixture): Promise<void> {
  const { rest } = fixture
  await rest('call without a token', 'GET /apps', {}, { as: 'none' })
  await rest('call with an unknown token', 'GET /apps', {}, { as: 'nobody' })
  await rest(
    'call with a mistyped token',
    'GET /apps',
    {},
    {
      as: 'none',
      headers: { authorization: `berth_u_${'0'.repeat(48)}` },
    },
  )
  await rest(
    'call with a bearer token',
    'GET /regions',
    {},
    {
      as: 'none',
      headers: { authorization: `Bearer ${fixture.tokens.admin}` },
    },
  )
  await rest('a lifecycle call without a token', 'POST /app-env/stop', {}, { as: 'none' })
  await rest('call an unknown path', 'GET /nothing')
  await rest('call an unknown path outside', 'GET //nothing')
  await rest('call a path with a method that it lacks', 'PUT /apps')
  await rest('call a lifecycle path with a method that it lacks', 'GET /app-env/stop')
  await rest('ask for the methods of a path', 'OPTIONS /app-env')
  await rest('ask for the methods of a list', 'OPTIONS /apps', {}, { as: 'none' })
  await rest('send a body that is no JSON', 'POST /app', '{"name":')
  await rest('send a list for a body', 'POST /app', '[1]')
  await rest('send no body', 'POST /app', '')
  const plain = { 'content-type': 'text/plain' }
  await rest('send a body of another type', 'POST /app', '{}', { headers: plain })
  await rest('send a body of another character set', 'POST /app', '{}', {
    headers: { 'content-type': 'application/json; charset=latin1' },
  })
  await rest('send a compressed body', 'POST /app', '{}', { headers: { 'content-encoding': 'gzip' } })
  await rest('send a request id that is not acceptable', 'GET /regions', {}, { headers: { 'x-request-id': 'a b' } })
  await rest('send a preference that makes no sense', 'POST /app-env/stop', {}, { headers: { prefer: 'wait=soon' } })
  await rest('is it alive', 'GET //livez', {}, { as: 'none' })
  await rest('is it ready', 'GET //readyz', {}, { as: 'none' })
}

/** Each route refuses an unknown field, and names every missing one. */
export async function restInputs({ rest, routes }: Fixture): Promise<void> {
  for (const route of await routes()) await rest(`unknown field: ${route}`, route, { colour: 'red' })
}
