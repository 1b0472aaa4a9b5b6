import { z } from 'zod'
import type { Permission } from '../domain/permissions.ts'
import { declareExample } from './examples.ts'
import type { FieldContext, Fields } from './field.ts'

/** Something that only GraphQL leads to from here. */
export interface Relation {
  description: string
  /** What the caller needs besides, on the account and environment of the row that leads there. */
  permission?: Permission
}

/** A noun of the platform: what can be known of one, in the words of both APIs. */
export interface Resource<F extends Fields = Fields, G extends Fields = Fields> {
  /** Of the GraphQL type. */
  readonly name: string
  readonly description: string
  /** In the order in which REST sends them. */
  readonly fields: F
  /** Fields that REST does not have. */
  readonly graphqlFields: G
  readonly relations: Readonly<Record<string, Relation>>
  /** All that REST knows of one. */
  readonly answer: Answer<F>
}

export type RowOf<F extends Fields> = F[keyof F]['value'] extends (row: infer Row, context: FieldContext) => unknown
  ? Row
  : never

export type RecordOf<A extends { fields: Fields }> = {
  [Name in keyof A['fields']]: z.output<A['fields'][Name]['type']>
}

/** What REST answers: some fields, in the order in which they are sent. */
export interface Answer<F extends Fields = Fields> {
  readonly fields: F
  readonly type: z.ZodObject<{ [Name in keyof F]: F[Name]['type'] }>
  /** All that its fields need, as Prisma's `select` has it. */
  readonly select: Readonly<Record<string, unknown>>
  /** The context can be left out where no field depends on it. */
  record(row: RowOf<F>, context?: FieldContext): { [Name in keyof F]: z.output<F[Name]['type']> }
  /** Only its fields, of a record that may have more. */
  of(record: { [Name in keyof F]: z.output<F[Name]['type']> }): { [Name in keyof F]: z.output<F[Name]['type']> }
}

/** An answer of its own; `id` names its schema in the OpenAPI document, which otherwise repeats it where it is used. */
export function answer<const F extends Fields>(fields: F, named?: { id: string; description: string }): Answer<F> {
  const shape = Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]))
  const type = named ? z.object(shape).meta(named) : z.object(shape)
  const entries = Object.entries(fields)
  return {
    fields,
    type: type as Answer<F>['type'],
    select: selectOf(fields),
    record(row, context = undefined as never) {
      // Called for each row of a list: it allocates nothing but the record.
      const record: Record<string, unknown> = {}
      for (const [name, { value }] of entries) record[name] = value(row, context)
      return record as never
    },
    of: (record) => Object.fromEntries(entries.map(([name]) => [name, record[name]])) as never,
  }
}

/** What all of these fields need to be loaded, together. */
export const selectOf = (fields: Fields): Readonly<Record<string, unknown>> =>
  Object.values(fields).reduce((all, { select }) => merge(all, select), {})

type Select = Readonly<Record<string, unknown>>

const merge = (one: Select, other: Select): Select => {
  const entries = Object.entries(other).map(([name, wanted]) => {
    const present = one[name]
    const both = typeof present === 'object' && typeof wanted === 'object' && present && wanted
    return [name, both ? merge(present as Select, wanted as Select) : (present ?? wanted)]
  })
  return { ...one, ...Object.fromEntries(entries) }
}

const byType = new WeakMap<z.ZodType, Resource>()

/** The noun whose records have this type. */
export function resourceOf(type: z.ZodType): Resource | undefined {
  // A type with another description is a copy, which knows what it is a copy of.
  for (let one: z.ZodType | undefined = type; one; one = one._zod.parent as z.ZodType | undefined) {
    const known = byType.get(one)
    if (known) return known
  }
}

interface ResourceOptions<F extends Fields, G extends Fields> {
  name: string
  description: string
  /** What the documentation shows of its fields, wherever they are shown. */
  examples?: { [Name in keyof F]?: z.output<F[Name]['type']> }
  fields: F
  graphqlFields?: G
  relations?: Readonly<Record<string, Relation>>
  /** Names the schema in the OpenAPI document. */
  id?: string
}

export function resource<const F extends Fields, const G extends Fields = Record<never, never>>(
  options: ResourceOptions<F, G>,
): Resource<F, G> {
  const { name, description, examples = {}, fields, graphqlFields = {} as G, relations = {}, id } = options
  const own = answer(fields, id ? { id, description } : undefined)
  const noun: Resource<F, G> = { name, description, fields, graphqlFields, relations, answer: own }
  for (const [field, value] of Object.entries(examples)) declareExample(field, (fields[field] as F[string]).type, value)
  byType.set(own.type, noun as unknown as Resource)
  return noun
}

/** Some of the fields, in this order. */
export const pick = <F extends Fields, Name extends keyof F & string>(fields: F, ...names: Name[]): Pick<F, Name> =>
  Object.fromEntries(names.map((name) => [name, fields[name]])) as unknown as Pick<F, Name>
