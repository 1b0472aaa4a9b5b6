import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { alternativesOf } from '../../../calls/alternatives.ts'
import { enumerationOf } from '../../../calls/enumeration.ts'
import { EXAMPLE_TIME, exampleOf } from '../../../calls/examples.ts'
import { resourceOf } from '../../../calls/resource.ts'
import { pascalCase } from './names.ts'

export type JsonSchema = Record<string, unknown>

const ALONE = { io: 'input', unrepresentable: 'any', override: tidyAlone } as const
const INPUT = { io: 'input', unrepresentable: 'any', override: tidyNamed } as const
const OUTPUT = { io: 'output', unrepresentable: 'any', override: tidyWithExample } as const

/** The example of a field, and what its type is called, until its schema is in the collection. */
const EXAMPLE = 'x-example'
const NAMED = 'x-named'

/** Names of enumerations that REST has given to a noun. */
const NAMES: Readonly<Record<string, string>> = { AppEnvStatus: 'AppEnvLifecycleStatus' }

interface Named {
  name: string
  description: string
}

/**
 * A body's schema has a name, and generators take every property with a default for one that is always there: also where it
 * is sent. So its defaults are words, as in GraphQL.
 */
function withDefaultsInWords<Schema extends object>(schema: Schema): Schema {
  const entries = Object.entries(schema).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.map((item) => (isSchema(item) ? withDefaultsInWords(item) : item))]
    return [name, isSchema(value) ? withDefaultsInWords(value) : value]
  })
  const { default: usual, ...rest } = Object.fromEntries(entries) as JsonSchema
  // A property may be called so: then it is a schema.
  if (usual === undefined || isSchema(usual)) return Object.fromEntries(entries) as Schema
  const words = typeof usual === 'object' ? JSON.stringify(usual) : String(usual)
  return { ...rest, description: `${rest.description ?? ''} Default: ${words}.`.trim() } as Schema
}

const isSchema = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a caller sends, as a JSON Schema that stands alone. */
export function inputSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...input } = z.toJSONSchema(schema, ALONE)
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

/** What every time of requests and answers refers to. */
const TIMESTAMP = {
  type: 'string',
  format: 'date-time',
  description: 'Moment, by RFC 3339. Answers give it in UTC, to the millisecond.',
}

/**
 * JSON Schemas of the very objects that validate, with every named one (`.meta({ id })`) moved into one
 * collection, to which the others refer.
 */
export class SchemaCollection {
  readonly schemas: Record<string, JsonSchema> = { Timestamp: TIMESTAMP }
  /** What the schemas of fields show, where their nouns say it. */
  readonly examples = new WeakMap<JsonSchema, unknown>([[TIMESTAMP, EXAMPLE_TIME]])
  readonly #spellings = new Map([['timestamp', 'Timestamp']])

  /** What a caller sends, in its place. */
  input(schema: z.ZodType): JsonSchema {
    return this.#add(z.toJSONSchema(schema, INPUT))
  }

  /** The same, called after its call. */
  inputOf(call: string, schema: z.ZodType): JsonSchema {
    return this.#add(withDefaultsInWords(z.toJSONSchema(schema, INPUT)), {
      name: `${pascalCase(call)}Input`,
      description: `Input of \`${call}\`.`,
    })
  }

  /** What a caller gets, called after its noun. */
  output(schema: z.ZodType): JsonSchema {
    return this.#add(z.toJSONSchema(schema, OUTPUT))
  }

  /** The same, called after its call where it is no noun's. */
  answerOf(call: string, schema: z.ZodType): JsonSchema {
    return this.#add(z.toJSONSchema(schema, OUTPUT), {
      name: `${pascalCase(call)}Answer`,
      description: `Answer of \`${call}\`.`,
    })
  }

  /** A schema that is made of others. */
  add(name: string, description: string, schema: JsonSchema): JsonSchema {
    return this.#name(name, { ...schema, description })
  }

  /** The schema itself, where this one refers to it. */
  resolve(schema: JsonSchema): JsonSchema {
    if (typeof schema.$ref !== 'string') return schema
    return this.resolve(this.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  }

  #add({ $schema: _dialect, $defs = {}, ...schema }: JsonSchema, otherwise?: Named): JsonSchema {
    for (const [id, definition] of Object.entries($defs as Record<string, JsonSchema>)) this.#name(id, definition)
    if (typeof schema.id === 'string') return this.#name(schema.id, schema)
    const isNamed = '$ref' in schema || NAMED in schema
    if (isNamed || !otherwise) return this.#refer(schema) as JsonSchema
    return this.#name(otherwise.name, { ...schema, description: schema.description ?? otherwise.description })
  }

  /** Throws where generators would make one type of two schemas: file names of some do not tell cases apart. */
  #name(id: string, { id: _id, ...schema }: JsonSchema): JsonSchema {
    const spelling = this.#spellings.get(id.toLowerCase()) ?? id
    const referring = this.#refer(schema) as JsonSchema
    const known = this.schemas[spelling] ?? referring
    if (spelling !== id || !isDeepStrictEqual(known, referring)) throw new Error(`Two schemas are called ${id}`)
    this.#spellings.set(id.toLowerCase(), id)
    this.schemas[id] = referring
    return { $ref: `#/components/schemas/${id}` }
  }

  /** `#/$defs/App` as zod writes it becomes `#/components/schemas/App`; examples are kept apart. */
  #refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#refer(item))
    if (typeof value !== 'object' || value === null) return value
    const { [EXAMPLE]: example, [NAMED]: named, ...schema } = value as JsonSchema
    const referring = named ? this.#referToNamed(named as Named, schema) : this.#withReferences(asTimestamp(schema))
    if (example !== undefined) this.examples.set(referring, example)
    return referring
  }

  #withReferences(schema: JsonSchema): JsonSchema {
    const entries = Object.entries(schema).map(([key, item]) => {
      if (key !== '$ref' || typeof item !== 'string') return [key, this.#refer(item)]
      return [key, item.replace('#/$defs/', '#/components/schemas/')]
    })
    return Object.fromEntries(entries)
  }

  /** Enumerations and nouns are described once; what holds one has words, and a default, of its own. */
  #referToNamed({ name, description }: Named, schema: JsonSchema): JsonSchema {
    const { description: own, default: usual, ...shared } = schema
    const referring = this.#name(name, { ...shared, description })
    if (own !== undefined && own !== description) referring.description = own
    if (usual !== undefined) referring.default = usual
    return referring
  }
}

/** A time refers to the one schema of times, in words of its own. */
function asTimestamp(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'string' || schema.format !== 'date-time') return schema
  const { type: _type, format: _format, ...own } = schema
  return { $ref: '#/components/schemas/Timestamp', ...own }
}

const isAnything = (schema: JsonSchema): boolean => Object.keys(schema).every((key) => key === 'description')

/**
 * An integer's whole range is no news to a reader, and zod's own names of formats mean nothing to other tools. The
 * pattern of a time repeats its format at 270 characters a piece. Anything or null is anything.
 */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.format === 'starts_with') delete jsonSchema.format
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  // What may be null or absent is described by what it otherwise is.
  const choices = (jsonSchema.anyOf ?? []) as JsonSchema[]
  const described = choices.find(({ description }) => description)
  if (described && !jsonSchema.description) jsonSchema.description = described.description
  if (choices.some(isAnything)) delete jsonSchema.anyOf
}

interface Converted {
  zodSchema: z.core.$ZodType
  jsonSchema: JsonSchema
  path: (string | number)[]
}

/** "One of these fields", where an object says so: for several groups, all of it. */
function addAlternatives({ zodSchema, jsonSchema }: Pick<Converted, 'zodSchema' | 'jsonSchema'>): void {
  const { shape } = zodSchema._zod.def as { shape?: z.core.$ZodShape }
  const rules = alternativesOf(shape ?? {}).map(({ names, isExclusive }) => ({
    [isExclusive ? 'oneOf' : 'anyOf']: names.map((name) => ({ required: [name] })),
  }))
  if (rules.length > 0) Object.assign(jsonSchema, rules.length === 1 ? rules[0] : { allOf: rules })
}

/** Models' interfaces refuse a tool whose input has alternatives at its top: there, words have to do. */
function tidyAlone(converted: Converted): void {
  tidy(converted)
  if (converted.path.length > 0) addAlternatives(converted)
}

function tidyNamed({ zodSchema, jsonSchema }: Pick<Converted, 'zodSchema' | 'jsonSchema'>): void {
  tidy({ jsonSchema })
  addAlternatives({ zodSchema, jsonSchema })
  if ('id' in jsonSchema || '$ref' in jsonSchema) return
  const found = enumerationOf(zodSchema as z.ZodType) ?? resourceOf(zodSchema as z.ZodType)
  if (found) jsonSchema[NAMED] = { name: NAMES[found.name] ?? found.name, description: found.description }
}

function tidyWithExample({ zodSchema, jsonSchema }: Converted): void {
  tidyNamed({ zodSchema, jsonSchema })
  const example = exampleOf(zodSchema as z.ZodType)
  if (example !== undefined) jsonSchema[EXAMPLE] = example
}
