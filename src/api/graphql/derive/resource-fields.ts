import type { FieldMap, ObjectRef } from '@pothos/core'
import type { z } from 'zod'
import { type Caller, permit, type Scoped } from '../../../calls/caller.ts'
import type { Field, FieldContext, Fields, InGraphQL } from '../../../calls/field.ts'
import { type Resource, resourceOf } from '../../../calls/resource.ts'
import { builder } from '../builder.ts'
import { enumNamed, enumOf } from './described-enum.ts'
import { edgesOf } from './edges.ts'
import { definitionOf, isIdName, isTextRecord, isTime, isWhole, pascal, unwrapped } from './zod-definition.ts'

/** As much of Pothos' field builders as is used here; each of them knows the rows of its own type only. */
interface AnyBuilder {
  expose(column: string, options: object): unknown
  field(options: object): unknown
}

const SCALARS = new Set(['ID', 'String', 'Int', 'Float', 'Boolean', 'DateTime', 'JSON'])

/** Words and origin of a field; the origin is for tests, which ask where every field was declared. */
export const described = (owner: string, name: string, description: string) => ({
  description,
  extensions: { declaredAs: `${owner}.${name}` },
})

/** The words of a relation, for the field that resolves it. */
export function relationOf<R extends Resource>({ name, relations }: R, relation: string) {
  const known = relations[relation]
  if (!known) throw new Error(`${name} has no relation ${relation}`)
  return described(name, relation, known.description)
}

/** The words of a field that is resolved by hand: one with arguments, say. */
export function wordsOf({ name, fields, graphqlFields }: Resource, field: string) {
  const known = fields[field] ?? graphqlFields[field]
  if (!known) throw new Error(`${name} has no field ${field}`)
  return described(name, field, known.description)
}

/** Throws unless the caller may follow the relation from a row of this account and environment. */
export function permitRelation({ relations }: Resource, relation: string, caller: Caller, on: Scoped): void {
  const permission = relations[relation]?.permission
  if (permission) permit(caller, permission, on)
}

type Make = (name: string, options: object, field: Field) => unknown

function fieldMap(owner: string, fields: Fields, make: Make): FieldMap {
  const shown = Object.entries(fields).filter(([, { only, inGraphQL }]) => !only && !inGraphQL?.isResolvedThere)
  const entries = shown.map(([name, field]) => {
    const { type, description, inGraphQL = {} } = field
    const graphqlName = inGraphQL.name ?? name
    const options = { ...outputOf(type, graphqlName, inGraphQL), ...described(owner, name, description) }
    return [graphqlName, make(name, options, field)]
  })
  return Object.fromEntries(entries) as FieldMap
}

/** Fields of a Prisma object: columns as they are; what is worked out from others has Pothos load those. */
export const rowFields = (t: unknown, { name: owner, fields, graphqlFields }: Resource): FieldMap => {
  const all = { ...fields, ...graphqlFields }
  const builder = t as AnyBuilder
  const own = fieldMap(owner, all, (_name, options, { column, select, value, inGraphQL }) => {
    const plain = inGraphQL?.column ?? column
    if (plain && !isEntries(options)) return builder.expose(plain, options)
    const needs = Object.keys(select).length > 0 ? { select } : {}
    return builder.field({
      ...options,
      ...needs,
      resolve: (row: never, _args: object, context: FieldContext) => shownAs(options, value(row, context)),
    })
  })
  return { ...own, ...edgesOf(builder, owner, all) } as FieldMap
}

/** Fields of what a service answers with, which has their names. `source` finds the record in what is resolved. */
export const recordFields = <Source>(
  t: unknown,
  owner: string,
  fields: Fields,
  source: (resolved: Source) => object = (record) => record as object,
): FieldMap =>
  fieldMap(owner, fields, (name, options, { inGraphQL }) =>
    (t as AnyBuilder).field({
      ...options,
      resolve: (resolved: Source) =>
        shownAs(options, (source(resolved) as Record<string, unknown>)[name] ?? inGraphQL?.whenAbsent),
    }),
  )

const objects = new Map<string, ObjectRef<never, unknown>>()

/** The object type of a noun whose records come from the services as they are. */
export function recordType<Shape extends object>(
  resource: Resource,
  interfaces: readonly unknown[] = [],
): ObjectRef<never, Shape> {
  const { name, description, fields, graphqlFields } = resource
  const known = objects.get(name)
  if (known) return known as never
  const ref = builder.objectRef<Shape>(name)
  objects.set(name, ref as never)
  ref.implement({
    description,
    // Records call their id by another name, which the field of the type knows.
    interfaces: [...interfaces] as never[],
    fields: (t) => {
      const all = { ...fields, ...graphqlFields }
      return { ...recordFields(t, name, all), ...edgesOf(t as AnyBuilder, name, all) } as FieldMap
    },
  })
  return ref as never
}

interface Output {
  type: unknown
  nullable: boolean
}

function outputOf(type: z.ZodType, name: string, inGraphQL: InGraphQL): Output {
  const { schema, wrappers } = unwrapped(type)
  const { type: kind } = definitionOf(schema)
  const isNullable = kind === 'unknown' || wrappers.some(({ type }) => type === 'nullable' || type === 'optional')
  return { type: typeOf(schema, name, inGraphQL.type), nullable: inGraphQL.nullable ?? isNullable }
}

function typeOf(schema: z.ZodType, name: string, override: string | undefined): unknown {
  const { type: kind, element, entries = {} } = definitionOf(schema)
  if (kind === 'array') return [typeOf(unwrapped(element as z.ZodType).schema, name, override)]
  if (override) return SCALARS.has(override) ? override : enumNamed(override)
  switch (kind) {
    case 'string':
      return isTime(schema) ? 'DateTime' : isIdName(name) ? 'ID' : 'String'
    case 'boolean':
    case 'literal':
      return 'Boolean'
    case 'number':
      return isWhole(schema) ? 'Int' : 'Float'
    case 'enum':
      return enumOf(Object.values(entries))
    case 'object':
      return objectOf(schema, name)
    case 'record':
      return isTextRecord(schema) ? [entryOf(name)] : 'JSON'
    case 'unknown':
      return 'JSON'
    default:
      throw new Error(`No GraphQL type for a Zod ${kind} (${name})`)
  }
}

function objectOf(schema: z.ZodType, name: string) {
  const resource = resourceOf(schema)
  return resource ? recordType(resource) : settingsType(schema as z.ZodObject, pascal(name))
}

const settings = new Map<string, ObjectRef<never, unknown>>()

/** The object type of what an input takes and answers show as it was set. */
function settingsType(schema: z.ZodObject, name: string) {
  const known = settings.get(name)
  if (known) return known
  const ref = builder.objectRef<Record<string, unknown>>(name)
  settings.set(name, ref as never)
  ref.implement({
    description: schema.description ?? '',
    fields: (t) => {
      const fields = Object.entries(schema.shape).map(([field, type]) => {
        const { description = '' } = unwrapped(type as z.ZodType)
        const options = { ...outputOf(type as z.ZodType, field, {}), ...described(name, field, description) }
        return [
          field,
          t.field({ ...options, resolve: (set: Record<string, unknown>) => shownAs(options, set[field]) } as never),
        ]
      })
      return Object.fromEntries(fields) as FieldMap
    },
  })
  return ref
}

interface Entry {
  key: string
  value: string
}

const entries = new Map<string, ObjectRef<never, unknown>>()
const entryTypes = new WeakSet<object>()

/** `labels` → `Label`: GraphQL has no objects of any keys, and so lists what an object of REST has. */
function entryOf(field: string): ObjectRef<never, unknown> {
  const name = pascal(field).replace(/s$/, '')
  const known = entries.get(name)
  if (known) return known
  const ref = builder.objectRef<Entry>(name)
  entries.set(name, ref as never)
  entryTypes.add(ref)
  ref.implement({
    description: `An item of \`${field}\`.`,
    fields: (t) => ({
      key: t.exposeString('key', { description: 'Name of the item.' }),
      value: t.exposeString('value', { description: 'Value of the item.' }),
    }),
  })
  return ref as never
}

/** Whether a field lists what REST has as an object. */
const isEntries = (options: object): boolean => {
  const { type } = options as { type?: unknown }
  return Array.isArray(type) && entryTypes.has(type[0] as object)
}

const shownAs = (options: object, value: unknown): unknown =>
  isEntries(options) && value !== null && value !== undefined ? entriesOf(value as Record<string, string>) : value

const entriesOf = (record: Readonly<Record<string, string>>): Entry[] =>
  Object.entries(record).map(([key, value]) => ({ key, value }))

const types = new Map<Resource, unknown>()

/** Keeps the type of a noun's rows, for the fields that are derived from reads. */
export function rowType<Ref>(resource: object, type: Ref): Ref {
  types.set(resource as Resource, type)
  return type
}

/** Throws for a noun whose type is not declared yet, which shows at start. */
export function rowTypeOf(resource: Resource): never {
  const known = types.get(resource)
  if (!known) throw new Error(`Declare the GraphQL type of ${resource.name} by rowType`)
  return known as never
}
