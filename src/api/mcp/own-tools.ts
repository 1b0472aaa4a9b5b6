import { z } from 'zod'
import { inputSchema, outputSchema } from '../rest/openapi/openapi-schemas.ts'
import type { ObjectSchema, ToolDescription } from './tools.ts'
import type { WriteOptions } from './write-options.ts'

// Tools that no call of REST is: they lead to all others.

const MAX_QUERY_CHARACTERS = 200
const MAX_FOUND = 10

/** More than any name of a tool has. */
const MAX_NAME_CHARACTERS = 100

export const findToolInput = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(MAX_QUERY_CHARACTERS)
    .describe('What you want to do, in a few words, such as "add a domain"; or the name of a tool.'),
  limit: z.int().min(1).max(MAX_FOUND).default(3).describe('Maximum number of tools with their schemas.'),
})

const anything = z.record(z.string(), z.unknown())

const found = z.object({
  name: z.string().describe('Name of the tool.'),
  title: z.string().describe('Title of the tool.'),
  set: z.string().describe('Set that has the tool.'),
  description: z.string().describe('What the tool does.'),
  annotations: z.record(z.string(), z.boolean()).describe('Whether the tool only reads, or destroys something.'),
  inputSchema: anything.describe('JSON Schema of the arguments.'),
  outputSchema: anything.optional().describe('JSON Schema of the answer. Only when the query is the name of the tool.'),
})

export const foundTools = z.object({
  tools: z.array(found).describe('Tools that fit, the likeliest first.'),
  others: z.array(z.string()).describe('Names of further tools that may fit. Send one as the query to see it.'),
  notPermitted: z.array(z.string()).describe('Names of tools that fit, and that your token can never use.'),
  sets: z
    .record(z.string(), z.string())
    .optional()
    .describe('Sets of tools with their contents. Only when nothing fits.'),
})

export const callToolInput = (options: WriteOptions) =>
  z.strictObject({
    name: z.string().min(1).max(MAX_NAME_CHARACTERS).describe('Name of the tool.'),
    arguments: anything.optional().describe('Arguments of the tool, by its input schema.'),
    options: options.optional().describe('Options of any tool that writes.'),
  })

export const FIND_TOOL = 'find-tool'
export const CALL_TOOL = 'call-tool'

export const OWN_TOOLS: ReadonlySet<string> = new Set([FIND_TOOL, CALL_TOOL])

/** Their descriptions. Where everything only reads, so does what is called. */
export function describeOwnTools(options: WriteOptions, isReadOnly: boolean): ToolDescription[] {
  const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  const calls = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
  const { options: _, ...reading } = callToolInput(options).shape
  return [
    {
      name: FIND_TOOL,
      title: 'Find a tool',
      description:
        'Find tools of Berth that are not listed here, with their schemas: hosts, jobs, backups, databases, members, tokens, webhooks, usage and more.',
      inputSchema: inputSchema(findToolInput) as ObjectSchema,
      outputSchema: outputSchema(foundTools) as ObjectSchema,
      annotations: reads,
    },
    {
      name: CALL_TOOL,
      title: 'Call a tool',
      description: 'Call a tool that find-tool found and your client does not list.',
      inputSchema: inputSchema(isReadOnly ? z.strictObject(reading) : callToolInput(options)) as ObjectSchema,
      annotations: isReadOnly ? reads : calls,
    },
  ]
}
