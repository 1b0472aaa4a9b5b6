import { z } from 'zod'
import { exampleOf } from '../../../calls/examples.ts'

export type JsonSchema = Record<string, unknown>

const INPUT = { io: 'input', unrepresentable: 'any', override: tidy } as const
const OUTPUT = { io: 'output', unrepresentable: 'any', override: tidyWithExample } as const

/** The example of a field, until its schema is in the collection. */
const EXAMPLE = 'x-example'

/** What a caller sends, as a JSON Schema that stands alone. */
export function inputSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...input } = z.toJSONSchema(schema, INPUT)
  return input
}

/** What a caller gets, as a JSON Schema that stands alone: what has a name is in its `$defs`, the whole is not. */
export function outputSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, $defs = {}, ...whole } = z.toJSONSchema(schema, { ...OUTPUT, override: tidy })
  const named = Object.entries($defs as Record<string, JsonSchema>)
  const definitions: Record<string, JsonSchema> = Object.fromEntries(
    named.map(([id, definition]) => [id, withoutId(definition)]),
  )
  const output = definitions[String(whole.$ref).slice('#/$defs/'.length)] ?? withoutId(whole)
  return named.length > 0 ? { ...output, $defs: definitions } : output
}

const withoutId = ({ id: _id, ...schema }: JsonSchema): JsonSchema => schema

/**
 * JSON Schemas of the very objects that validate, with every named one (`.meta({ id })`) moved into one
 * collection, to which the others refer.
 */
export class SchemaCollection {
  readonly schemas: Record<string, JsonSchema> = {}
  /** What the schemas of fields show, where their nouns say it. */
  readonly examples = new WeakMap<JsonSchema, unknown>()

  /** What a caller sends. */
  input(schema: z.ZodType): JsonSchema {
    return this.#add(z.toJSONSchema(schema, INPUT))
  }

  /** What a caller gets. */
  output(schema: z.ZodType): JsonSchema {
    return this.#add(z.toJSONSchema(schema, OUTPUT))
  }

  #add({ $schema: _dialect, $defs = {}, ...schema }: JsonSchema): JsonSchema {
    for (const [id, definition] of Object.entries($defs as Record<string, JsonSchema>)) this.#name(id, definition)
    return typeof schema.id === 'string' ? this.#name(schema.id, schema) : (this.#refer(schema) as JsonSchema)
  }

  #name(id: string, { id: _id, ...schema }: JsonSchema): JsonSchema {
    this.schemas[id] = this.#refer(schema) as JsonSchema
    return { $ref: `#/components/schemas/${id}` }
  }

  /** `#/$defs/App` as zod writes it becomes `#/components/schemas/App`; examples are kept apart. */
  #refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#refer(item))
    if (typeof value !== 'object' || value === null) return value
    const { [EXAMPLE]: example, ...schema } = value as JsonSchema
    const entries = Object.entries(schema).map(([key, item]) => {
      if (key !== '$ref' || typeof item !== 'string') return [key, this.#refer(item)]
      return [key, item.replace('#/$defs/', '#/components/schemas/')]
    })
    const referring: JsonSchema = Object.fromEntries(entries)
    if (example !== undefined) this.examples.set(referring, example)
    return referring
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

function tidyWithExample({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void {
  tidy({ jsonSchema })
  const example = exampleOf(zodSchema as z.ZodType)
  if (example !== undefined) jsonSchema[EXAMPLE] = example
}
