import type { z } from 'zod'
import { inputSchema, type JsonSchema } from '../rest/openapi/openapi-schemas.ts'
import type { Route } from '../rest/protocol/route.ts'
import { routes } from '../rest/routes.ts'

/** A route of REST, by the name under which MCP clients call it. */
export interface Tool {
  name: string
  route: Route
}

type ObjectSchema = JsonSchema & { type: 'object' }

/** A tool as `tools/list` shows it. */
export interface ToolDescription {
  name: string
  description: string
  inputSchema: ObjectSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }
}

/** Names by which existing clients call a tool (contract §8), where its operation has another. */
const KNOWN_NAMES: Readonly<Record<string, string>> = {
  applyChanges: 'apply-app-env-changes',
  listLogs: 'get-logs',
  listPods: 'get-app-env-pods',
}

const operationOf = (route: Route) => ('read' in route ? route.read : route.command)

/** The name of the tool for an operation: `getAppEnvStatus` is `get-app-env-status`. */
export const toolNameOf = (operation: string): string =>
  KNOWN_NAMES[operation] ?? operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Every tool by its name, in the order of the path table. */
export const tools: ReadonlyMap<string, Tool> = toolsOf(routes)

function toolsOf(all: readonly Route[]): Map<string, Tool> {
  const byName = new Map<string, Tool>()
  for (const route of all) {
    const name = toolNameOf(operationOf(route).name)
    // Several paths to one operation are one tool.
    if (!byName.has(name)) byName.set(name, { name, route })
  }
  return byName
}

/** All tools, for every caller: what a token may do depends on the target, and is decided when a tool is called. */
export const describeTools = (options: z.ZodObject): ToolDescription[] =>
  [...tools.values()].map((tool) => describeTool(tool, options))

function describeTool({ name, route }: Tool, options: z.ZodObject): ToolDescription {
  const isRead = 'read' in route
  return {
    name,
    description: operationOf(route).about,
    inputSchema: isRead ? objectSchema(route.read.query) : writeSchema(route.command.input, options),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead && (route.command.dangerous === true || route.method === 'DELETE'),
      // As HTTP defines it: a repeat leaves the same state.
      idempotentHint: ['GET', 'PUT', 'DELETE'].includes(route.method),
    },
  }
}

const objectSchema = (schema: z.ZodObject) => inputSchema(schema) as ObjectSchema

/** The command's own fields, and the options that every write has. */
function writeSchema(input: z.ZodObject, options: z.ZodObject): ObjectSchema {
  const schema = objectSchema(input)
  const more = objectSchema(options)
  return { ...schema, properties: { ...(schema.properties as object), ...(more.properties as object) } }
}
