import type { z } from 'zod'

/** What Zod keeps of a schema, as far as it decides the GraphQL type. */
interface Definition {
  type: string
  innerType?: z.ZodType
  element?: z.ZodType
  entries?: Record<string, string>
  valueType?: z.ZodType
  defaultValue?: unknown
}

const WRAPPERS = new Set(['optional', 'nullable', 'default', 'prefault', 'readonly', 'nonoptional'])

export const definitionOf = (schema: z.ZodType) => schema._zod.def as unknown as Definition

export const isWhole = (schema: z.ZodType) => (schema as z.ZodNumber).format === 'safeint'

export const isTime = (schema: z.ZodType) => (schema as unknown as { format?: string }).format === 'datetime'

/** GraphQL's name of a field decides whether it is an id. */
export const isIdName = (name: string) => /(^id|Ids?)$/.test(name)

/** Whether it is an object of any keys whose values are texts. */
export function isTextRecord(schema: z.ZodType): boolean {
  const { type, valueType } = definitionOf(schema)
  return type === 'record' && valueType !== undefined && definitionOf(unwrapped(valueType).schema).type === 'string'
}

/** `functionConfig` → `FunctionConfig`. */
export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

interface Wrapped {
  /** The schema without its wrappers, and these from the outermost. */
  schema: z.ZodType
  wrappers: Definition[]
  description: string | undefined
}

/** Takes the wrappers off. The outermost description counts. */
export function unwrapped(field: z.ZodType): Wrapped {
  const wrappers: Definition[] = []
  let schema = field
  let { description } = field
  for (let definition = definitionOf(schema); WRAPPERS.has(definition.type); definition = definitionOf(schema)) {
    wrappers.push(definition)
    if (!definition.innerType) break
    schema = definition.innerType
    description ??= schema.description
  }
  return { schema, wrappers, description }
}
