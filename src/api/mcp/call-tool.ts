import type { Logger } from 'pino'
import { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { parseInput } from '../../calls/perform.ts'
import type { Config } from '../../config/config.ts'
import { invalidField } from '../../domain/errors.ts'
import { refusalOf, renderProblem } from '../rest/protocol/errors.ts'
import { answerRead } from '../rest/protocol/read.ts'
import { BASE_PATH, type RestDependencies, type RouteAnswer } from '../rest/protocol/route.ts'
import { answerWrite } from '../rest/protocol/write.ts'
import { isObject } from './message.ts'
import type { Tool } from './tools.ts'

/** Options of every write (contract §1), as arguments of a tool: MCP has neither headers nor a query for them. */
export const callOptions = ({ BERTH_MAX_WAIT_SECONDS: most }: Config) =>
  z.object({
    dryRun: z.boolean().optional().describe('Validate and answer as usual, but change nothing.'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Key that makes the call safe to repeat: repeats get the first answer.'),
    expectedVersion: z
      .int()
      .min(1)
      .optional()
      .describe('Version that you have read: 3 for the ETag "v3-…". Refused when it has changed since.'),
    waitSeconds: z
      .int()
      .min(0)
      .max(most)
      .optional()
      .describe('Seconds to wait for what the call begins to end before the call is answered.'),
  })

export interface McpDependencies extends RestDependencies {
  log: Logger
  /** The options that every write has. */
  options: ReturnType<typeof callOptions>
}

/** Who calls a tool, and over which request. */
export interface ToolCaller {
  caller: Caller
  requestId: string
  /** The address at which the client reached the API. */
  origin: string
  /** Of the client, as far as trusted proxies say. */
  address: string
  /** Fires when the client has gone. */
  gone(): AbortSignal
}

/** What `tools/call` answers: the REST body as text, and REST's headers beside it. */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  isError?: true
  _meta?: { 'berth/headers': Record<string, string> }
}

/** Calls a tool through its route of REST, so that validation, permission, limits and audit are REST's own. */
export async function callTool(
  dependencies: McpDependencies,
  tool: Tool,
  given: unknown,
  from: ToolCaller,
): Promise<ToolResult> {
  try {
    if (!isObject(given)) throw invalidField('arguments', 'must be an object')
    const { text, headers } = await answerCall(dependencies, tool, given, from)
    return { content: [{ type: 'text', text }], ...errorOf(headers), ...metaOf(headers) }
  } catch (thrown) {
    return refusalResult(dependencies.log, tool, thrown, from.requestId)
  }
}

/** A call that waited for an operation which did not succeed: an assistant must not take it for done. */
const errorOf = ({ 'Operation-Status': status }: Record<string, string>): { isError?: true } =>
  status === 'FAILED' || status === 'CANCELLED' ? { isError: true } : {}

function answerCall(
  dependencies: McpDependencies,
  { route }: Tool,
  given: Record<string, unknown>,
  { caller, requestId, origin, address, gone }: ToolCaller,
): Promise<RouteAnswer> {
  if ('read' in route) return answerRead(dependencies, route, { caller, requestId }, given)
  const { dryRun, idempotencyKey, expectedVersion, waitSeconds, ...input } = given
  const control = parseInput(dependencies.options, { dryRun, idempotencyKey, expectedVersion, waitSeconds })
  const signal = control.waitSeconds ? AbortSignal.any([gone(), dependencies.draining]) : undefined
  return answerWrite(dependencies, route, {
    caller,
    input,
    options: { ...control, requestId, api: 'mcp', origin, address, signal },
  })
}

function refusalResult(log: Logger, { name, route }: Tool, thrown: unknown, requestId: string): ToolResult {
  const refusal = refusalOf(thrown, requestId)
  // The HTTP status is 200, so the access log does not show it.
  if (refusal.code === 'INTERNAL' || refusal.code === 'UNAVAILABLE')
    log.error({ err: thrown, requestId, tool: name }, 'A tool call failed')
  const isLifecycle = 'isLifecycle' in route && route.isLifecycle
  const { body, headers } = renderProblem(refusal, { path: BASE_PATH + route.path, requestId, isLifecycle })
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true, ...metaOf(headers) }
}

/** The additional headers of the answer, without those about HTTP itself. */
function metaOf({ 'Content-Type': _type, 'Cache-Control': _cache, ...headers }: Record<string, string>) {
  return Object.keys(headers).length > 0 ? { _meta: { 'berth/headers': headers } } : {}
}
