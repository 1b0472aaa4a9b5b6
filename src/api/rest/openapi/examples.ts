import { type Example, exampleNamed } from '../../../calls/examples.ts'
import { EXAMPLE_VALUES } from './example-values.ts'
import type { JsonSchema, SchemaCollection } from './openapi-schemas.ts'

type Schemas = Readonly<Record<string, JsonSchema>>

/** Objects that are not named after the field which holds them. */
const NOUN_OF: Readonly<Record<string, string>> = { envVars: 'variable' }

/** The noun of a path: `/account/webhook` is about a webhook, `/app-env/status` about an environment. */
const nounOf = (path: string): string => {
  const last = (path.split('/').at(-1) ?? '').replace(/s$/, '')
  return `${last}.name` in EXAMPLE_VALUES || `${last}.status` in EXAMPLE_VALUES ? last : 'appEnv'
}

/** The fields that the example of a call sends: in its body, or in its query. */
export function exampleRequest(
  { request = {} }: Example,
  schema: JsonSchema,
  collection: SchemaCollection,
): Record<string, unknown> {
  const { properties = {}, required = [] } = collection.resolve(schema) as { properties?: Schemas; required?: string[] }
  const named = 'envName' in properties && !('accountId' in request) ? ['envName'] : []
  const walk = new Walk(collection)
  const entries = [...named, ...required].map((name) => [name, walk.value(properties[name] ?? {}, name, '')])
  return { ...Object.fromEntries(entries), ...request }
}

/** The answer to that, as its schema has it. */
export function exampleAnswer(
  example: Example,
  path: string,
  schema: JsonSchema,
  collection: SchemaCollection,
): object {
  const answer = new Walk(collection).value(schema, '', nounOf(path)) as Record<string, unknown>
  const isApplied = example.request?.applyImmediately === true && 'appliedImmediately' in answer
  return { ...answer, ...(isApplied ? { appliedImmediately: true } : {}), ...example.answer }
}

interface Facts {
  enum: unknown[]
  anyOf: JsonSchema[]
  items: JsonSchema
  type: string | string[]
}

class Walk {
  readonly #collection: SchemaCollection

  constructor(collection: SchemaCollection) {
    this.#collection = collection
  }

  value(named: JsonSchema, name: string, noun: string): unknown {
    const schema = this.#collection.resolve(named)
    if ('const' in schema) return schema.const
    const known = this.#known(named, name, noun)
    // The status is lower case in lists (§2.4).
    for (const value of [...known, ...known.map((value) => (typeof value === 'string' ? value.toLowerCase() : value))])
      if (this.#fits(schema, value)) return value
    const { enum: values, anyOf, type } = schema as Partial<Facts>
    if (values) return values[0]
    // Null says that there may be none; a made-up text would say nothing.
    if (anyOf?.some(({ type }) => type === 'null') && anyOf[0]?.type === 'string') return null
    if (anyOf) return this.value(anyOf[0] as JsonSchema, name, noun)
    const own = NOUN_OF[name] ?? name.replace(/s$/, '')
    if (type === 'array') return [this.value(schema.items as JsonSchema, own, noun)]
    if (type === 'object') return this.#object(schema, own || noun)
    if (type === 'integer' || type === 'number') return schema.minimum ?? 1
    return { boolean: false, null: null, string: 'text' }[[type].flat()[0] ?? 'null']
  }

  /** What the noun of the field says, then the table, then what other nouns say of a field of that name. */
  #known(schema: JsonSchema, name: string, noun: string): unknown[] {
    const { examples } = this.#collection
    const own = examples.get(schema)
    if (own !== undefined) return [own]
    const keys = [`${noun}.${name}`, name].filter((key) => key in EXAMPLE_VALUES)
    if (keys.length > 0) return keys.map((key) => EXAMPLE_VALUES[key])
    const elsewhere = [exampleNamed(name), examples.get(this.#collection.resolve(schema))]
    return elsewhere.filter((value) => value !== undefined)
  }

  /** Fields that are always there. A call that creates something has none of these, because of its dry run. */
  #object({ properties = {}, required = [] }: JsonSchema, noun: string): object {
    const always = required as string[]
    const isShown = (name: string) =>
      always.length > 0 ? always.includes(name) : !['dryRun', 'changes'].includes(name)
    const entries = Object.entries(properties as Schemas)
      .filter(([name]) => isShown(name))
      .map(([name, schema]) => [name, this.value(schema, name, noun)])
    return Object.fromEntries(entries)
  }

  /** Whether a value of the table is of the field's type; the same name may mean another thing elsewhere. */
  #fits(named: JsonSchema, value: unknown): boolean {
    const { enum: values, anyOf, items, type } = this.#collection.resolve(named) as Partial<Facts>
    if (anyOf) return anyOf.some((schema) => this.#fits(schema, value))
    if (values) return values.includes(value)
    if (Array.isArray(value) && items) return value.every((item) => this.#fits(items, item))
    return type === undefined || [type].flat().some((one) => isOf(one, value))
  }
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
