import type { z } from 'zod'
import { parseInput } from '../../../calls/perform.ts'
import type { AnyQuery } from '../../../calls/query.ts'
import { DomainError, invalidInput } from '../../../domain/errors.ts'
import type { builder } from '../builder.ts'
import { enumOf } from './described-enum.ts'
import { definitionOf, isIdName, isTime, isWhole, unwrapped } from './zod-definition.ts'

export type ArgBuilder = Parameters<
  Extract<NonNullable<Parameters<typeof builder.queryField>[1]>, (...args: never[]) => unknown>
>[0]['arg']

type Arguments = Readonly<Record<string, unknown>>

/** The arguments of the field that a read is: its input, where the id of what is read is called `id`. */
export function argumentsOf(arg: ArgBuilder, query: AnyQuery) {
  const entries = Object.entries(query.input.shape).map(([name, field]) => {
    const { schema, wrappers, description } = unwrapped(field as z.ZodType)
    if (!description) throw new Error(`The input field ${name} of ${query.name} has no description`)
    const required = !wrappers.some(({ type }) => type === 'optional' || type === 'default')
    const usual = wrappers.find(({ type }) => type === 'default')?.defaultValue
    const words = { required, description, ...(usual === undefined ? {} : { defaultValue: usual }) }
    const shown = argumentName(query, name)
    return [shown, arg({ type: typeOf(schema, shown), ...words } as never)]
  })
  return Object.fromEntries(entries)
}

export const argumentName = (query: AnyQuery, field: string) =>
  query.kind === 'one' && query.key?.field === field ? 'id' : field

function typeOf(schema: z.ZodType, name: string): unknown {
  const { type, entries = {}, element } = definitionOf(schema)
  switch (type) {
    case 'string':
      return isTime(schema) ? 'DateTime' : isIdName(name) ? 'ID' : 'String'
    case 'boolean':
      return 'Boolean'
    case 'number':
      return isWhole(schema) ? 'Int' : 'Float'
    case 'enum':
      return enumOf(Object.values(entries))
    case 'array':
      return [typeOf(unwrapped(element as z.ZodType).schema, name)]
    default:
      throw new Error(`No GraphQL argument for a Zod ${type} (${name})`)
  }
}

/** The input of a read, of its field's arguments; by the rules of the read, with the names that the caller knows. */
export function inputOf(query: AnyQuery, args: Arguments): Record<string, unknown> {
  const given = Object.keys(query.input.shape).flatMap((name) => {
    const value = args[argumentName(query, name)]
    if (value === null || value === undefined) return []
    return [[name, value instanceof Date ? value.toISOString() : value]]
  })
  try {
    return parseInput(query.input, Object.fromEntries(given))
  } catch (error) {
    throw inNamesOf(query, error)
  }
}

/** What a read refuses in its input, by the names of its field's arguments. */
export const inNamesOf = (query: AnyQuery, error: unknown): unknown =>
  inArgumentNames(error, (field) => argumentName(query, field))

/** The same error; one about fields of an input, by the names that those have as arguments. */
export function inArgumentNames(error: unknown, argumentOf: (field: string) => string): unknown {
  if (!(error instanceof DomainError && error.details.fields)) return error
  const fields = error.details.fields.map((one) => ({ ...one, field: argumentOf(one.field) }))
  const { message } = invalidInput(fields)
  return new DomainError(error.code, error.reason, message, { ...error.details, fields })
}
