import type { z } from 'zod'
import { definitionOf, isTextRecord, unwrapped } from '../../src/api/graphql/derive/zod-definition.ts'
import { toolNameOf } from '../../src/api/mcp/tools.ts'
import { routes } from '../../src/api/rest/routes.ts'
import type { ApiServer } from '../../src/api/server/server.ts'
import type { Enumeration } from '../../src/calls/enumeration.ts'
import { eventType } from '../../src/services/event/event-fields.ts'
import { scope } from '../../src/services/token/token-fields.ts'
import { callTool } from '../support/mcp.ts'
import type { Prepared } from './parity-case.ts'

/** The outcome of a call, in terms that all APIs share. */
export type Outcome = { accepted: true } | { accepted: false; code: string; reason: string | null; fields: string[] }

type App = Pick<ApiServer, 'request'>

export type ApiCall = (app: App, adminToken: string, prepared: Prepared) => Promise<Outcome>

interface Problem {
  code: string
  reason?: string
  errors?: { field: string }[]
}

interface GraphQLProblem {
  message: string
  extensions: { code: string; reason?: string; fields?: { field: string }[] }
}

const requestId = 'parity-request'

export const callRest: ApiCall = async (app, adminToken, { command, input, token, expectedVersion, isDry }) => {
  const route = routes.find((candidate) => 'command' in candidate && candidate.command.name === command.name)
  if (!route) throw new Error(`No route runs ${command.name}`)
  const { method, path } = route
  const asQuery = method === 'DELETE'
  const query = new URLSearchParams(asQuery ? (input as Record<string, string>) : {})
  if (isDry) query.set('dryRun', 'true')
  const response = await app.request(`/api/public/v1${path}?${query}`, {
    method,
    headers: {
      authorization: token ?? adminToken,
      'content-type': 'application/json',
      'x-request-id': requestId,
      // No worker ends what it would wait for.
      ...(command.defaultWaitSeconds ? { prefer: 'wait=0' } : {}),
      ...(expectedVersion === undefined ? {} : { 'if-match': `"v${expectedVersion}"` }),
    },
    ...(asQuery ? {} : { body: JSON.stringify(input) }),
  })
  if (response.ok) return { accepted: true }
  const problem = (await response.json()) as Problem
  const fields = (problem.errors ?? []).map(({ field }) => field)
  return { accepted: false, code: problem.code, reason: problem.reason ?? null, fields }
}

export const callGraphQL: ApiCall = async (app, adminToken, { command, input, token, expectedVersion, isDry }) => {
  const type = `${command.name[0]?.toUpperCase()}${command.name.slice(1)}Input`
  const response = await app.request('/graphql', {
    method: 'POST',
    headers: { authorization: token ?? adminToken, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({
      query: `mutation Parity($input: ${type}!) { ${command.name}(input: $input) { __typename } }`,
      variables: {
        input: {
          ...inGraphQL(input, command.input),
          ...(expectedVersion === undefined ? {} : { expectedVersion }),
          ...(isDry ? { dryRun: true } : {}),
        },
      },
    }),
  })
  const { errors } = (await response.json()) as { errors?: GraphQLProblem[] }
  if (!errors) return { accepted: true }
  const [first] = errors
  if (!first) throw new Error('An answer with errors names none')
  const { code, reason, fields } = first.extensions
  return {
    accepted: false,
    code,
    reason: reason ?? null,
    fields: fields?.map(({ field }) => field) ?? undefinedFields(first.message),
  }
}

export const callMcp: ApiCall = async (app, adminToken, { command, input, token, expectedVersion, isDry }) => {
  const options = { ...(expectedVersion === undefined ? {} : { expectedVersion }), ...(isDry ? { dryRun: true } : {}) }
  const { isError, body } = await callTool(app, {
    token: token ?? adminToken,
    name: toolNameOf(command.name),
    given: { ...input, ...options },
    requestId,
  })
  if (!isError) return { accepted: true }
  const fields = ((body as Problem).errors ?? []).map(({ field }) => field)
  return { accepted: false, code: body.code, reason: body.reason ?? null, fields }
}

/** Lists of values with colons and dots, which enum values of GraphQL cannot contain. */
const ENUMERATIONS: Readonly<Record<string, Enumeration>> = { scopes: scope, eventTypes: eventType }

export const inGraphQL = (input: Record<string, unknown>, schema: z.ZodObject) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const enumeration = ENUMERATIONS[name]
      const field = schema.shape[name] as z.ZodType | undefined
      if (enumeration && Array.isArray(value)) return [name, value.map(enumeration.nameOf)]
      return [name, field ? withEntries(field, value) : value]
    }),
  )

/** Objects of any keys are lists in GraphQL. */
function withEntries(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { schema: inner } = unwrapped(schema)
  const { type, element } = definitionOf(inner)
  if (isTextRecord(inner) && !Array.isArray(value))
    return Object.entries(value).map(([key, text]) => ({ key, value: text }))
  if (type === 'array' && Array.isArray(value)) return value.map((item) => withEntries(element as z.ZodType, item))
  if (type !== 'object' || Array.isArray(value)) return value
  const { shape } = inner as z.ZodObject
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      shape[name] ? withEntries(shape[name] as z.ZodType, part) : part,
    ]),
  )
}

/** GraphQL itself refuses a field that an input type does not have, and names it in its own message. */
const undefinedFields = (message: string) =>
  [...message.matchAll(/unknown field "(\w+)"/g)].map((match) => match[1] ?? '')
