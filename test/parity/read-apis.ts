import { toolNameOf } from '../../src/api/mcp/tools.ts'
import { routes } from '../../src/api/rest/routes.ts'
import { callTool } from '../support/mcp.ts'
import type { Served } from '../support/serve-world.ts'

/** The outcome of a read: its body, or the refusal. */
export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  body: any
  /** The code of the refusal; null when there was none. */
  code: string | null
}

export type Query = Record<string, string>

export const reads = routes.flatMap((route) => ('read' in route ? [{ path: route.path, name: route.read.name }] : []))

/** Reads through REST, by the operationId. */
export async function readRest({ app }: Served, token: string, name: string, query: Query = {}): Promise<Answer> {
  const path = reads.find((read) => read.name === name)?.path
  if (!path) throw new Error(`No route reads ${name}`)
  const address = `/api/public/v1${path}?${new URLSearchParams(query)}`
  const response = await app.request(address, { headers: { authorization: token } })
  const body = (await response.json()) as { code: string }
  return { body, code: response.ok ? null : body.code }
}

/** Reads through MCP, by the operationId of REST. */
export async function readMcp({ app }: Served, token: string, name: string, query: Query = {}): Promise<Answer> {
  const { isError, body } = await callTool(app, { token, name: toolNameOf(name), given: query })
  return { body, code: isError ? body.code : null }
}

/** Reads one field of GraphQL's Query. */
export async function readGraphQL({ app }: Served, token: string, field: string): Promise<Answer> {
  const response = await app.request('/graphql', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ query: `{ read: ${field} }` }),
  })
  const { data, errors } = (await response.json()) as {
    data?: { read: unknown }
    errors?: { message: string; extensions: { code?: string } }[]
  }
  const [first] = errors ?? []
  return { body: data?.read, code: first ? (first.extensions.code ?? first.message) : null }
}
