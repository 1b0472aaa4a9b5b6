import { z } from 'zod'
import type { Permission } from '../../domain/permissions.ts'
import { answerOfDryRun, titleOf, withDryRun } from '../rest/openapi/openapi.ts'
import { inputSchema, type JsonSchema, outputSchema } from '../rest/openapi/openapi-schemas.ts'
import type { ReadRoute, Route, WriteRoute } from '../rest/protocol/route.ts'
import { routes } from '../rest/routes.ts'

/** A route of REST, by the name under which MCP clients call it. */
export interface Tool {
  name: string
  route: Route
}

export type ObjectSchema = JsonSchema & { type: 'object' }

/** A tool as `tools/list` shows it. */
export interface ToolDescription {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  /** Absent where answers are as various as the tools that are called. */
  outputSchema?: ObjectSchema
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** Names by which existing clients call a tool (contract §8), where its operation has another. */
const KNOWN_NAMES: Readonly<Record<string, string>> = {
  applyChanges: 'apply-app-env-changes',
  listLogs: 'get-logs',
  listPods: 'get-app-env-pods',
}

const operationOf = (route: Route) => ('read' in route ? route.read : route.command)

export const isRead = ({ route }: Tool): boolean => 'read' in route

export const aboutOf = ({ route }: Tool): string => operationOf(route).about

export const permissionOf = ({ route }: Tool): Permission => operationOf(route).permission

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

/** The whole description of a tool. */
export function describeTool(tool: Tool): ToolDescription {
  const { name, route } = tool
  return {
    name,
    title: titleOf(operationOf(route).name),
    description: aboutOf(tool),
    inputSchema: 'read' in route ? objectSchema(route.read.query) : writeSchema(route.command.input),
    outputSchema: 'read' in route ? readAnswer(route) : writeAnswer(route),
    annotations: annotationsOf(tool),
  }
}

export function annotationsOf({ route }: Tool): ToolDescription['annotations'] {
  if ('read' in route) return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  const { dangerous, prepare, waits } = route.command
  return {
    readOnlyHint: false,
    destructiveHint: dangerous === true || route.method === 'DELETE',
    // As HTTP defines it: a repeat leaves the same state.
    idempotentHint: route.method === 'PUT' || route.method === 'DELETE',
    // It asks, or begins work that asks, what is not Berth's: registries, git hosts, receivers, storages, name servers.
    openWorldHint: prepare !== undefined || waits === true,
  }
}

const objectSchema = (schema: z.ZodObject) => inputSchema(schema) as ObjectSchema

/** Described once for all tools, by `call-tool`. */
const OPTIONS = { type: 'object', description: 'As in call-tool, such as waitSeconds.' }

/** The command's own fields, and the options that every write has. */
function writeSchema(input: z.ZodObject): ObjectSchema {
  const { properties, ...schema } = objectSchema(input)
  return { ...schema, properties: { ...(properties as object), options: OPTIONS } }
}

/** The body of REST's answer; CSV, where that was asked for, as one text. */
function readAnswer({ read }: ReadRoute): ObjectSchema {
  const answer = read.mayBeCsv ? read.answer.partial().extend(csvFields) : read.answer
  return outputSchema(answer) as ObjectSchema
}

const csvFields = {
  csv: z.string().optional().describe('The page as comma-separated values. Only where format is csv.'),
}

const writeAnswer = (route: WriteRoute): ObjectSchema =>
  outputSchema(answerOfDryRun(route) ?? withDryRun(route)) as ObjectSchema
