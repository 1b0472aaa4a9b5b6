import { z } from 'zod'
import type { BuildSettings } from '../domain/build-resources.ts'
import type { ExternalAddressSettings } from '../domain/external-address.ts'
import { isoTime } from '../domain/iso-time.ts'
import type { IngressAddress } from '../domain/public-url.ts'
import { shareExample } from './examples.ts'

/** What a field may depend on besides its row. */
export interface FieldContext {
  caller: { currentAccountId: string | null }
  config: IngressAddress &
    ExternalAddressSettings &
    BuildSettings & { BERTH_TCP_DEFAULT_CONNECTIONS: number; BERTH_DEFAULT_PLAN: string }
}

/** Where GraphQL differs from what the zod type and the REST name say. */
export interface InGraphQL {
  name?: string
  /** A scalar, or the name of an enum. */
  type?: string
  nullable?: boolean
  /** What GraphQL shows of a field that REST leaves out. */
  whenAbsent?: unknown
  /** GraphQL shows this column as it is, where REST shows a value derived from it. */
  column?: string
  /** A connection, a relation or a field with arguments: its file in api/graphql/schema resolves it. */
  isResolvedThere?: true
}

export interface FieldOptions {
  /** GraphQL does not have it, or has something better in its place. */
  only?: 'rest'
  inGraphQL?: InGraphQL | undefined
}

/** One fact about a thing, declared once: its words, its type, and how it comes from the row that holds it. */
export interface Field<Row = never, Type extends z.ZodType = z.ZodType> extends FieldOptions {
  readonly description: string
  /** As REST answers it, with its nullability and its description. */
  readonly type: Type
  /** The column that it is, where it is nothing but one. */
  readonly column: string | null
  /** What must be loaded for it, as Prisma's `select` has it. */
  readonly select: Readonly<Record<string, unknown>>
  readonly value: (row: Row, context: FieldContext) => z.output<Type>
}

// biome-ignore lint/suspicious/noExplicitAny: a set of fields is handled alike, whatever row each is read from.
export type Fields = Readonly<Record<string, Field<any>>>

/** Times are ISO 8601 text in answers; whatever read the row may have written them so already. */
type Wire<Value> = Value extends Date ? string : Value

type ColumnOf<Row, Type extends z.ZodType> = {
  [Column in keyof Row & string]: Wire<Row[Column]> extends z.output<Type> ? Column : never
}[keyof Row & string]

export const text = z.string()
export const whole = z.int()
export const flag = z.boolean()
export const time = z.iso.datetime()
export const json = z.unknown()

/** What `version` is, of every noun that has one. */
export const VERSION = 'Number that grows with every change; `expectedVersion` is compared with it.'

const wire = (value: unknown): unknown => (value instanceof Date ? isoTime(value) : value)

const declared = new WeakSet<z.ZodType>()

/** Whether an answer's type is that of a declared field. */
export const isDeclared = (type: z.ZodType): boolean => declared.has(type)

/** The type with these words, known as declared. */
export function declare<Type extends z.ZodType>(type: Type, description: string): Type {
  const described = type.describe(description)
  declared.add(described)
  return described
}

/** The ways in which fields are read from rows of one kind. */
export const fieldsOf = <Row extends object>() => ({
  /** A column as it is. */
  column: <Type extends z.ZodType, Column extends ColumnOf<Row, Type>>(
    column: Column,
    type: Type,
    description: string,
    options: FieldOptions = {},
  ): Field<Pick<Row, Column>, Type> => ({
    description,
    column,
    ...options,
    type: declare(type, description),
    select: { [column]: true },
    value: (row) => wire(row[column]) as z.output<Type>,
  }),

  /** A JSON column, whose shape its type promises. */
  json: <Type extends z.ZodType, Column extends keyof Row & string>(
    column: Column,
    type: Type,
    description: string,
    options: FieldOptions = {},
  ): Field<Pick<Row, Column>, Type> => ({
    description,
    column,
    ...options,
    type: declare(type, description),
    select: { [column]: true },
    value: (row) => row[column] as z.output<Type>,
  }),

  /** Put into the row by the services, under this name. */
  given: <Type extends z.ZodType, Name extends ColumnOf<Row, Type>>(
    name: Name,
    type: Type,
    description: string,
    options: FieldOptions = {},
  ): Field<Pick<Row, Name>, Type> => ({
    description,
    select: {},
    ...options,
    column: null,
    type: declare(type, description),
    value: (row) => wire(row[name]) as z.output<Type>,
  }),

  /** Worked out from what `select` loads. */
  from: <Type extends z.ZodType, Needed>(
    select: Readonly<Record<string, unknown>>,
    type: Type,
    description: string,
    value: (row: Needed, context: FieldContext) => z.output<Type>,
    options: FieldOptions = {},
  ): Field<Needed, Type> => ({
    description,
    select,
    value,
    ...options,
    column: null,
    type: declare(type, description),
  }),
})

/** The same fact with another type and value in one answer, in the same words. */
export function shownAs<Row, Type extends z.ZodType, Shown extends z.ZodType>(
  field: Field<Row, Type>,
  type: Shown,
  show: (value: z.output<Type>, context: FieldContext) => z.output<Shown>,
  options: FieldOptions = {},
): Field<Row, Shown> {
  const shown = declare(type, field.description)
  shareExample(field.type, shown)
  return {
    description: field.description,
    select: field.select,
    ...options,
    column: null,
    type: shown,
    value: (row, context) => show(field.value(row, context), context),
  }
}
