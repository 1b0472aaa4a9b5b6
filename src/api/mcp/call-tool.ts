import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { parseInput } from '../../calls/perform.ts'
import { forbidden, invalidField } from '../../domain/errors.ts'
import { refusalOf, renderProblem } from '../rest/protocol/errors.ts'
import { answerRead } from '../rest/protocol/read.ts'
import { BASE_PATH, type RestDependencies, type RouteAnswer } from '../rest/protocol/route.ts'
import { answerWrite } from '../rest/protocol/write.ts'
import { isObject } from './message.ts'
import { CALL_TOOL, callToolInput, FIND_TOOL } from './own-tools.ts'
import { type ToolDirectory, unknownTool, type View } from './tool-directory.ts'
import { isRead, type Tool, tools } from './tools.ts'
import { splitOptions, type WriteOptions } from './write-options.ts'

export interface McpDependencies extends RestDependencies {
  log: Logger
  /** The options that every write has. */
  options: WriteOptions
  directory: ToolDirectory
}

/** Who calls a tool, and over which request. */
export interface ToolCaller extends View {
  caller: Caller
  requestId: string
  /** The path that was called. */
  path: string
  /** The address at which the client reached the API. */
  origin: string
  /** Of the client, as far as trusted proxies say. */
  address: string
  /** Fires when the client has gone. */
  gone(): AbortSignal
  /** Hears which tool is called in the end, for the access log. */
  onTool(name: string): void
}

/** What `tools/call` answers: the REST body as text and as an object, and REST's headers beside it. */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: { 'berth/headers': Record<string, string> }
}

/** Calls any tool by its name; null when there is none. */
export function callByName(
  dependencies: McpDependencies,
  name: string,
  given: unknown,
  from: ToolCaller,
): Promise<ToolResult> | null {
  const tool = tools.get(name)
  if (!tool && name !== FIND_TOOL && name !== CALL_TOOL) return null
  from.onTool(name)
  if (tool) return callTool(dependencies, tool, given, from)
  return refusing(dependencies.log, { name, path: from.path }, from.requestId, async () => {
    if (name === FIND_TOOL) return resultOf(JSON.stringify(dependencies.directory.find(from, given)), {})
    return callNamed(dependencies, given, from)
  })
}

/** `call-tool`: for clients that only let an assistant call what they list. */
function callNamed(dependencies: McpDependencies, given: unknown, from: ToolCaller): Promise<ToolResult> {
  const { name, options } = parseInput(callToolInput(dependencies.options), given)
  const tool = tools.get(name)
  if (!tool) throw invalidField('name', unknownTool(name))
  from.onTool(name)
  // As they were sent: a copy would leave out what the tool refuses by name.
  const input = (given as { arguments?: Record<string, unknown> }).arguments ?? {}
  if (options === undefined) return callTool(dependencies, tool, input, from)
  if (isRead(tool)) throw invalidField('options', `are for tools that write, and ${name} reads`)
  if ('options' in input) throw invalidField('options', 'are sent twice: once are in arguments')
  return callTool(dependencies, tool, { ...input, options }, from)
}

/** Calls a tool through its route of REST, so that validation, permission, limits and audit are REST's own. */
export function callTool(
  dependencies: McpDependencies,
  tool: Tool,
  given: unknown,
  from: ToolCaller,
): Promise<ToolResult> {
  const { name, route } = tool
  const isLifecycle = 'isLifecycle' in route && route.isLifecycle
  const at = { name, path: BASE_PATH + route.path, isLifecycle }
  return refusing(dependencies.log, at, from.requestId, async () => {
    if (from.isReadOnly && !isRead(tool))
      throw forbidden('READ_ONLY', `${name} writes, and ${from.path} only reads: call it at /mcp`)
    if (!isObject(given)) throw invalidField('arguments', 'must be an object')
    const { text, headers } = await answerCall(dependencies, tool, given, from)
    return resultOf(text, headers)
  })
}

function resultOf(text: string, headers: Record<string, string>): ToolResult {
  const result: ToolResult = { content: [{ type: 'text', text }], structuredContent: structured(text, headers) }
  // A call that waited for an operation which did not succeed: an assistant must not take it for done.
  const status = headers['Operation-Status']
  if (status === 'FAILED' || status === 'CANCELLED') result.isError = true
  return { ...result, ...metaOf(headers) }
}

/** The same as an object, as the tool's output schema has it. */
const structured = (text: string, { 'Content-Type': type = 'application/json' }: Record<string, string>) =>
  type === 'application/json' ? (JSON.parse(text) as Record<string, unknown>) : { csv: text }

function answerCall(
  dependencies: McpDependencies,
  { route }: Tool,
  given: Record<string, unknown>,
  { caller, requestId, origin, address, gone }: ToolCaller,
): Promise<RouteAnswer> {
  if ('read' in route)
    return answerRead(dependencies, route, { caller, requestId, origin }, withLists(route.read.query, given))
  const { options, input } = splitOptions(dependencies.options, given)
  const signal = options.waitSeconds ? AbortSignal.any([gone(), dependencies.draining]) : undefined
  return answerWrite(dependencies, route, {
    caller,
    input,
    options: { ...options, requestId, api: 'mcp', origin, address, signal },
  })
}

/** One value where a list is taken is a list of one, as in GraphQL and in a query of REST: filters once took one. */
function withLists(schema: z.ZodObject, given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(given).map(([name, value]) => {
    const field = (schema.shape as Readonly<Record<string, z.ZodType>>)[name]
    return [name, typeof value === 'string' && field && isList(field) ? [value] : value]
  })
  return Object.fromEntries(entries)
}

function isList(field: z.ZodType): boolean {
  const { type, innerType } = field._zod.def as { type: string; innerType?: z.ZodType }
  return innerType ? isList(innerType) : type === 'array'
}

interface CalledAt {
  /** The tool that was called. */
  name: string
  path: string
  isLifecycle?: boolean
}

/** A refusal becomes a result that says so. */
async function refusing(
  log: Logger,
  { name, path, isLifecycle = false }: CalledAt,
  requestId: string,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await run()
  } catch (thrown) {
    const refusal = refusalOf(thrown, requestId)
    // The HTTP status is 200, so the access log does not show it.
    if (refusal.code === 'INTERNAL' || refusal.code === 'UNAVAILABLE')
      log.error({ err: thrown, requestId, tool: name }, 'A tool call failed')
    const { body, headers } = renderProblem(refusal, { path, requestId, isLifecycle })
    return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true, ...metaOf(headers) }
  }
}

/** The additional headers of the answer, without those about HTTP itself. */
function metaOf({ 'Content-Type': _type, 'Cache-Control': _cache, ...headers }: Record<string, string>) {
  return Object.keys(headers).length > 0 ? { _meta: { 'berth/headers': headers } } : {}
}
