import type { Hono } from 'hono'
import { routes } from '../../src/rest/routes.ts'
import type { Prepared } from './parity-case.ts'

/** How a call ended, in words that both doors share. */
export type Outcome = { accepted: true } | { accepted: false; code: string; reason: string | null; fields: string[] }

export type Door = (app: Hono, adminToken: string, prepared: Prepared) => Promise<Outcome>

const requestId = 'parity-request'

export const restDoor: Door = async (app, adminToken, { command, input, token, expectedVersion }) => {
  const route = routes.find((candidate) => 'command' in candidate && candidate.command === command)
  if (!route) throw new Error(`No route runs ${command.name}`)
  const { method, path } = route
  const asQuery = method === 'DELETE'
  const query = asQuery ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
  const response = await app.request(`/api/public/v1${path}${query}`, {
    method,
    headers: {
      authorization: token ?? adminToken,
      'content-type': 'application/json',
      'x-request-id': requestId,
      ...(expectedVersion === undefined ? {} : { 'if-match': `"v${expectedVersion}"` }),
    },
    ...(asQuery ? {} : { body: JSON.stringify(input) }),
  })
  if (response.ok) return { accepted: true }
  const problem = await response.json()
  const fields = (problem.errors ?? []).map((error: { field: string }) => error.field)
  return { accepted: false, code: problem.code, reason: problem.reason ?? null, fields }
}

export const graphqlDoor: Door = async (app, adminToken, { command, input, token, expectedVersion }) => {
  const type = `${command.name[0]?.toUpperCase()}${command.name.slice(1)}Input`
  const response = await app.request('/graphql', {
    method: 'POST',
    headers: { authorization: token ?? adminToken, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({
      query: `mutation Parity($input: ${type}!) { ${command.name}(input: $input) { __typename } }`,
      variables: { input: expectedVersion === undefined ? input : { ...input, expectedVersion } },
    }),
  })
  const { errors } = await response.json()
  if (!errors) return { accepted: true }
  const { code, reason, fields } = errors[0].extensions
  return { accepted: false, code, reason: reason ?? null, fields: (fields ?? []).map((error: { field: string }) => error.field) }
}
