import type { Hono } from 'hono'
import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import {
  addressOf,
  answerJson,
  type ServerContext,
  type ServerEnv,
  type ServerMiddleware,
  withRequestHeaders,
} from '../http/context.ts'
import { challengeOf, issuerOf } from '../http/oauth-addresses.ts'
import { isJson, readText } from '../http/request-body.ts'
import { refuseMethod } from '../rest/router.ts'
import { callOptions, callTool, type McpDependencies } from './call-tool.ts'
import type { Toolbox } from './mcp-server.ts'
import { type MessageProblem, readMessage } from './message.ts'
import { describeTools, type ToolDescription, tools } from './tools.ts'

const MCP_PATH = '/mcp'

/** Clients of the service that the contract describes post to the root (contract §8). */
const PATHS = [MCP_PATH, '/']

/** Both kinds of answers, as the transport's specification wants it: what a client accepts less of, JSON covers. */
const ACCEPT = 'application/json, text/event-stream'

/** The tools, over streamable HTTP: one message a POST, one JSON answer, no session. */
export function mountMcp(
  app: Hono<ServerEnv>,
  parts: Omit<McpDependencies, 'options'>,
  steps: readonly ServerMiddleware[],
): void {
  const dependencies = { ...parts, options: callOptions(parts.config) }
  const named: ServerMiddleware = (c, next) => {
    c.set('route', MCP_PATH)
    return next().then(() => addChallenge(c, parts.config))
  }
  // Describing them takes as long as the OpenAPI document, and most processes are never asked for it.
  let descriptions: ToolDescription[] | undefined
  const list = () => {
    descriptions ??= describeTools(dependencies.options)
    return descriptions
  }
  const handle = (c: ServerContext) => answerMessage(c, dependencies, list)
  for (const path of PATHS) app.post(path, named, ...steps, handle)
  // No session to follow with GET or to end with DELETE.
  app.all(MCP_PATH, (c) => refuseMethod(c, 'OPTIONS, POST'))
}

/** So that clients can ask their user for access by themselves (MCP, authorization). */
function addChallenge(c: ServerContext, config: Config): void {
  const issuer = c.res.status === 401 ? issuerOf(config, c.req.url) : null
  if (issuer !== null) c.res.headers.set('WWW-Authenticate', challengeOf(issuer, MCP_PATH))
}

async function answerMessage(
  c: ServerContext,
  dependencies: McpDependencies,
  list: Toolbox['list'],
): Promise<Response> {
  const { config } = dependencies
  const text = await readText(c.req.raw, config.BERTH_BODY_LIMIT_KB)
  if (!isJson(c.req.header('content-type') ?? ''))
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the message as Content-Type: application/json')
  const message = readMessage(text)
  if ('problem' in message) return refuseMessage(c, message)
  const request = requestOf(c)
  const { refuseOrigin, serveMessage } = await import('./mcp-server.ts')
  const hosts = config.BERTH_API_URL ? [new URL(config.BERTH_API_URL).hostname] : []
  const response =
    refuseOrigin(request, hosts) ??
    (await serveMessage(request, message.envelope, toolboxOf(c, dependencies, message.given ?? {}, list)))
  return withRequestHeaders(c, response)
}

function toolboxOf(c: ServerContext, dependencies: McpDependencies, given: unknown, list: Toolbox['list']): Toolbox {
  const from = {
    caller: c.get('caller'),
    requestId: c.get('requestId'),
    origin: new URL(c.req.url).origin,
    address: addressOf(c),
    gone: () => c.req.raw.signal,
  }
  return {
    list,
    call(name) {
      const tool = tools.get(name)
      if (!tool) return null
      c.set('tool', name)
      return callTool(dependencies, tool, given, from)
    },
  }
}

/** The request for the SDK, without its body, which has been read. */
function requestOf(c: ServerContext): Request {
  const headers = new Headers(c.req.raw.headers)
  headers.set('accept', ACCEPT)
  return new Request(c.req.url, { method: 'POST', headers })
}

/** An answer of JSON-RPC, because MCP clients show its message. */
const refuseMessage = (c: ServerContext, { code, problem }: MessageProblem): Response =>
  answerJson(c, 400, { jsonrpc: '2.0', error: { code, message: problem }, id: null })
