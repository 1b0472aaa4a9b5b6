import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { describeTool, tools } from '../../src/api/mcp/tools.ts'
import type { ApiServer } from '../../src/api/server/server.ts'
import type { Caller } from '../../src/calls/caller.ts'

interface Message {
  /** Null sends none. */
  token: string | null
  path?: string
  headers?: Record<string, string>
}

/** Posts one body to the MCP endpoint, as curl would. */
export const post = (
  app: Pick<ApiServer, 'request'>,
  body: unknown,
  { token, path = '/mcp', headers = {} }: Message,
): Promise<Response> =>
  Promise.resolve(
    app.request(path, {
      method: 'POST',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )

export const toolsCall = (name: string, given: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
})

/** A user without any account, unless something else is said. */
export const callerWith = (more: Partial<Caller> = {}): Caller =>
  Object.assign<Caller, Partial<Caller>>(
    {
      tokenId: 'tok_1',
      kind: 'USER',
      userId: 'usr_1',
      appEnvId: null,
      accountId: null,
      scopes: null,
      expiresAt: null,
      isInstallationAdmin: false,
      currentAccountId: null,
      memberships: new Map(),
    },
    more,
  )

const validators = new Map<string, ValidateFunction>()

/** Fails unless an answer has the shape that its tool promises. */
function expectPromised(name: string, structured: unknown): void {
  const tool = tools.get(name)
  if (!tool) return
  const validate = validators.get(name) ?? validatorOf(describeTool(tool).outputSchema)
  validators.set(name, validate)
  expect(validate(structured) ? [] : validate.errors, `the answer of ${name}`).toEqual([])
}

function validatorOf(schema: object | undefined): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  return ajv.compile(schema ?? false)
}

interface ToolCall {
  token: string
  /** `/mcp` when omitted. */
  path?: string
  name: string
  given: Record<string, unknown>
  requestId?: string
}

interface Result {
  content: { text: string }[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, Record<string, string>>
}

/** Calls a tool without `initialize`; what its text holds. */
export async function callTool(
  app: Pick<ApiServer, 'request'>,
  { token, path = '/mcp', name, given, requestId }: ToolCall,
) {
  const headers: Record<string, string> = requestId === undefined ? {} : { 'x-request-id': requestId }
  const response = await post(app, toolsCall(name, given), { token, path, headers })
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  const message = (await response.json()) as any
  // What is refused before the message is read is a problem of REST, without JSON-RPC around it.
  if (!response.ok)
    return { isError: true, headers: {}, text: JSON.stringify(message), structured: undefined, body: message }
  const { result, error } = message as { result?: Result; error?: { message: string } }
  if (!result) throw new Error(`${name} has no result: ${error?.message}`)
  const text = result.content[0]?.text ?? ''
  if (result.structuredContent !== undefined) expectPromised(name, result.structuredContent)
  else expect(result.isError, `${name} without a structured answer is refused`).toBe(true)
  return {
    structured: result.structuredContent,
    isError: result.isError === true,
    headers: result._meta?.['berth/headers'] ?? {},
    text,
    body: JSON.parse(text),
  }
}
