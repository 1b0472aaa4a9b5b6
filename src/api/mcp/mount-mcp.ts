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
import { callByName, type McpDependencies, type ToolCaller } from './call-tool.ts'
import type { Toolbox } from './mcp-server.ts'
import { type MessageProblem, readMessage } from './message.ts'
import { readResource, resources, resourceTemplates } from './resources.ts'
import { ToolDirectory, unknownTool } from './tool-directory.ts'
import { setsOf } from './tool-sets.ts'
import { writeOptions } from './write-options.ts'

const MCP_PATH = '/mcp'

/** The same tools without those that write. */
const READ_ONLY_PATH = '/mcp/readonly'

/** Clients of the service that the contract describes post to the root (contract §8). */
const PATHS = [MCP_PATH, READ_ONLY_PATH, '/']

/** Both kinds of answers, as the transport's specification wants it: what a client accepts less of, JSON covers. */
const ACCEPT = 'application/json, text/event-stream'

const INVALID_PARAMS = -32_602

/** The tools, over streamable HTTP: one message a POST, one JSON answer, no session. */
export function mountMcp(
  app: Hono<ServerEnv>,
  parts: Omit<McpDependencies, 'options' | 'directory'>,
  steps: readonly ServerMiddleware[],
): void {
  const options = writeOptions(parts.config)
  const dependencies = { ...parts, options, directory: new ToolDirectory(options) }
  for (const path of PATHS) {
    const route = path === READ_ONLY_PATH ? READ_ONLY_PATH : MCP_PATH
    const named: ServerMiddleware = (c, next) => {
      c.set('route', route)
      return next().then(() => addChallenge(c, parts.config, route))
    }
    app.post(path, named, ...steps, (c) => answerMessage(c, dependencies, route === READ_ONLY_PATH))
    // No session to follow with GET or to end with DELETE.
    if (path === route) app.all(path, (c) => refuseMethod(c, 'OPTIONS, POST'))
  }
}

/** So that clients can ask their user for access by themselves (MCP, authorization). */
function addChallenge(c: ServerContext, config: Config, path: string): void {
  const issuer = c.res.status === 401 ? issuerOf(config, c.req.url) : null
  if (issuer !== null) c.res.headers.set('WWW-Authenticate', challengeOf(issuer, path))
}

async function answerMessage(c: ServerContext, dependencies: McpDependencies, isReadOnly: boolean): Promise<Response> {
  const { config } = dependencies
  const text = await readText(c.req.raw, config.BERTH_BODY_LIMIT_KB)
  if (!isJson(c.req.header('content-type') ?? ''))
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the message as Content-Type: application/json')
  const message = readMessage(text)
  if ('problem' in message) return refuseMessage(c, message)
  const sets = chosenSets(c.req.url)
  if ('problem' in sets) return refuseMessage(c, sets)
  const request = requestOf(c)
  const { refuseOrigin, serveMessage } = await import('./mcp-server.ts')
  const hosts = config.BERTH_API_URL ? [new URL(config.BERTH_API_URL).hostname] : []
  const from: ToolCaller = {
    caller: c.get('caller'),
    sets,
    isReadOnly,
    requestId: c.get('requestId'),
    path: new URL(c.req.url).pathname,
    origin: new URL(c.req.url).origin,
    address: addressOf(c),
    gone: () => c.req.raw.signal,
    onTool: (name) => c.set('tool', name),
  }
  const response =
    refuseOrigin(request, hosts) ??
    (await serveMessage(request, message.envelope, toolboxOf(dependencies, from, message.given ?? {})))
  return withRequestHeaders(c, response)
}

/** The sets that the address names, or what is wrong with them. */
function chosenSets(url: string): ReadonlySet<string> | MessageProblem {
  try {
    return setsOf(new URL(url).searchParams)
  } catch (error) {
    if (error instanceof DomainError) return { code: INVALID_PARAMS, problem: error.message }
    throw error
  }
}

const toolboxOf = (dependencies: McpDependencies, from: ToolCaller, given: unknown): Toolbox => ({
  list: () => dependencies.directory.list(from),
  call: (name) => callByName(dependencies, name, given, from),
  unknownTool,
  resources,
  resourceTemplates,
  read: (uri) => readResource(dependencies, uri, from),
})

/** The request for the SDK, without its body, which has been read. */
function requestOf(c: ServerContext): Request {
  const headers = new Headers(c.req.raw.headers)
  headers.set('accept', ACCEPT)
  return new Request(c.req.url, { method: 'POST', headers })
}

/** An answer of JSON-RPC, because MCP clients show its message. */
const refuseMessage = (c: ServerContext, { code, problem }: MessageProblem): Response =>
  answerJson(c, 400, { jsonrpc: '2.0', error: { code, message: problem }, id: null })
