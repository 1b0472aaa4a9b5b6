import type { JsonSchema } from '../rest/openapi/openapi-schemas.ts'
import type { ObjectSchema, ToolDescription } from './tools.ts'

/** Characters up to which the inside of an argument is shown. Beyond, its fields are named. */
const NESTED_CHARACTERS = 600

/** What a refusal of the server says as well, and most calls never come near. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'pattern',
  'format',
  'propertyNames',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
])

type Schemas = Readonly<Record<string, JsonSchema>>

/** A tool in short, without its answer: `find-tool` answers it whole. */
export const outlineOf = ({ outputSchema: _, ...tool }: ToolDescription): ToolDescription => ({
  ...tool,
  description: firstSentence(tool.description),
  inputSchema: outlineOfInput(tool.inputSchema),
})

/** A tool whose answer is shown in short. */
export const withOutlinedAnswer = ({ outputSchema, ...tool }: ToolDescription): ToolDescription =>
  outputSchema ? { ...tool, outputSchema: outlineOfOutput(outputSchema) } : tool

/**
 * Every argument with its type and the first sentence of its description, without bounds and without the inside of large
 * objects. What the schema allows, the outline allows; it may allow more.
 */
function outlineOfInput({ properties = {}, required }: JsonSchema): ObjectSchema {
  const outline: ObjectSchema = { type: 'object', properties: mapped(properties as Schemas, shorten) }
  if (Array.isArray(required) && required.length > 0) outline.required = required
  return outline
}

/** Every field of an answer with its type, so that a client knows what it gets and a program may check it. */
function outlineOfOutput({ properties = {}, $defs = {} }: JsonSchema): ObjectSchema {
  const typeOf = ({ $ref, type }: JsonSchema): JsonSchema => {
    if (typeof $ref === 'string') return typeOf(($defs as Schemas)[$ref.slice('#/$defs/'.length)] ?? {})
    return type === undefined ? {} : { type }
  }
  return { type: 'object', properties: mapped(properties as Schemas, typeOf) }
}

const mapped = (schemas: Schemas, change: (schema: JsonSchema) => JsonSchema): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))

function shorten(schema: JsonSchema): JsonSchema {
  const isKept = ([key, value]: [string, unknown]) =>
    !LEFT_OUT.has(key) && !(key === 'additionalProperties' && value === false)
  const entries = Object.entries(schema).filter(isKept)
  const short: JsonSchema = Object.fromEntries(entries.map(([key, value]) => [key, shortened(key, value)]))
  const fields = Object.keys((schema.properties ?? {}) as object)
  if (fields.length === 0 || JSON.stringify(short).length <= NESTED_CHARACTERS) return short
  return { type: 'object', description: `${short.description ?? ''} Fields: ${fields.join(', ')}.`.trimStart() }
}

function shortened(key: string, value: unknown): unknown {
  if (key === 'description') return firstSentence(String(value))
  if (key === 'properties') return mapped(value as Schemas, shorten)
  if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
    return shorten(value as JsonSchema)
  // What may be null, say; what holds the choices is described already.
  if (key === 'anyOf' || key === 'oneOf')
    return (value as JsonSchema[]).map(({ description: _, ...choice }) => shorten(choice))
  return value
}

/** Up to the full stop that ends the first sentence. */
export const firstSentence = (text: string): string => {
  const end = text.search(/\.\s/)
  return end < 0 ? text : text.slice(0, end + 1)
}
