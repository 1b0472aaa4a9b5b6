import type { ApiServer } from '../../src/api/server/server.ts'

interface Message {
  /** Null sends none. */
  token: string | null
  path?: '/mcp' | '/'
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

interface ToolCall {
  token: string
  name: string
  given: Record<string, unknown>
  requestId?: string
}

interface Result {
  content: { text: string }[]
  isError?: boolean
  _meta?: Record<string, Record<string, string>>
}

/** Calls a tool without `initialize`; what its text holds. */
export async function callTool(app: Pick<ApiServer, 'request'>, { token, name, given, requestId }: ToolCall) {
  const headers: Record<string, string> = requestId === undefined ? {} : { 'x-request-id': requestId }
  const response = await post(app, toolsCall(name, given), { token, headers })
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  const message = (await response.json()) as any
  // What is refused before the message is read is a problem of REST, without JSON-RPC around it.
  if (!response.ok) return { isError: true, headers: {}, text: JSON.stringify(message), body: message }
  const { result, error } = message as { result?: Result; error?: { message: string } }
  if (!result) throw new Error(`${name} has no result: ${error?.message}`)
  const text = result.content[0]?.text ?? ''
  return {
    isError: result.isError === true,
    headers: result._meta?.['berth/headers'] ?? {},
    text,
    body: JSON.parse(text),
  }
}
