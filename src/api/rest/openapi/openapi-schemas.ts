import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

const INPUT = { io: 'input', unrepresentable: 'any', override: tidy } as const

/** What a caller sends, as a JSON Schema that stands alone. */
export function inputSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...input } = z.toJSONSchema(schema, INPUT)
  return input
}

/**
 * JSON Schemas of the very objects that validate, with every named one (`.meta({ id })`) moved into one
 * collection, to which the others refer.
 */
export class SchemaCollection {
  readonly schemas: Record<string, JsonSchema> = {}

  /** What a caller sends. */
  input(schema: z.ZodType): JsonSchema {
    return this.#add(z.toJSONSchema(schema, INPUT))
  }

  /** What a caller gets. */
  output(schema: z.ZodType): JsonSchema {
    return this.#add(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', override: tidy }))
  }

  #add({ $schema: _dialect, $defs = {}, ...schema }: JsonSchema): JsonSchema {
    for (const [id, definition] of Object.entries($defs as Record<string, JsonSchema>)) this.#name(id, definition)
    return typeof schema.id === 'string' ? this.#name(schema.id, schema) : (refer(schema) as JsonSchema)
  }

  #name(id: string, { id: _id, ...schema }: JsonSchema): JsonSchema {
    this.schemas[id] = refer(schema) as JsonSchema
    return { $ref: `#/components/schemas/${id}` }
  }
}

/** An integer's whole range is no news to a reader, and zod's own names of formats mean nothing to other tools. */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.format === 'starts_with') delete jsonSchema.format
  // What may be null or absent is described by what it otherwise is.
  const choices = (jsonSchema.anyOf ?? []) as JsonSchema[]
  const described = choices.find(({ description }) => description)
  if (described && !jsonSchema.description) jsonSchema.description = described.description
}

/** `#/$defs/App` as zod writes it becomes `#/components/schemas/App`. */
function refer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(refer)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => {
    if (key !== '$ref' || typeof item !== 'string') return [key, refer(item)]
    return [key, item.replace('#/$defs/', '#/components/schemas/')]
  })
  return Object.fromEntries(entries)
}
