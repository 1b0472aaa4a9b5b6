import { z } from 'zod'
import { MAX_LABEL_KEY_LENGTH, MAX_LABEL_VALUE_LENGTH } from '../domain/labels.ts'
import type { Enumeration } from './enumeration.ts'
import { id, instant } from './input.ts'

/** How many values a filter takes: any of them is enough. */
const MAX_VALUES = 50
const MAX_SEARCH_LENGTH = 100
/** Each is looked up by itself. */
const MAX_LABELS = 5

/** A condition on the rows of a list: how callers write it, and what it asks of a row, as Prisma's `where` has it. */
export interface ListFilter<Type extends z.ZodType = z.ZodType> {
  type: Type
  /** `scope` is what the rows are asked for besides. */
  where(value: NonNullable<z.output<Type>>, scope: object): object
}

// biome-ignore lint/suspicious/noExplicitAny: the filters of a list are handled alike, whatever values each takes.
export type ListFilters = Readonly<Record<string, ListFilter<any>>>

/** What callers may give of these filters. */
export type Given<Filters extends ListFilters> = {
  [Name in keyof Filters]?: z.output<Filters[Name]['type']> | undefined
}

/** A column of the row, or how a condition on another row is asked of it. */
type Place = string | ((condition: unknown) => object)

const at = (place: Place, condition: unknown): object =>
  typeof place === 'string' ? { [place]: condition } : place(condition)

/** Rows with one of these values of an enumeration. */
export const oneOf = <Value extends string>(place: Place, { type }: Enumeration<Value>, about: string) => ({
  type: z.array(type).min(1).max(MAX_VALUES).optional().describe(about),
  where: (values: readonly Value[]) => at(place, { in: values }),
})

/** Rows with this id of another thing. */
export const withId = (place: Place, noun: string) => ({
  type: id(noun).optional(),
  where: (value: string) => at(place, value),
})

/** Rows with this text, letter by letter. */
export const withText = (place: Place, about: string) => ({
  type: z.string().trim().min(1).max(200).optional().describe(about),
  where: (value: string) => at(place, value),
})

/** A pattern of LIKE for this text anywhere, in which its own signs stand for themselves. */
export const anywhere = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Rows of which the column holds this text, in upper or lower case. */
export const containing = (place: Place, about: string) => ({
  type: z.string().trim().min(1).max(MAX_SEARCH_LENGTH).optional().describe(about),
  // Prisma hands the text to ILIKE as it is, where these characters stand for others.
  where: (value: string) => at(place, { contains: value.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' }),
})

export const whether = (place: Place, about: string) => ({
  type: z.boolean().optional().describe(about),
  where: (value: boolean) => at(place, value),
})

/** Rows from this time on. */
export const since = (column: string, about: string) => ({
  type: instant(about).optional(),
  where: (value: string) => ({ [column]: { gte: inUtc(value) } }),
})

/** Rows up to this time. */
export const until = (column: string, about: string) => ({
  type: instant(about).optional(),
  where: (value: string) => ({ [column]: { lte: inUtc(value) } }),
})

/** PostgreSQL takes offsets of up to 16 hours, ISO 8601 of up to 24. */
const inUtc = (time: string): string => new Date(time).toISOString()

/** Labels, as `key=value`. */
export const labelList = () =>
  z
    .array(
      z
        .string()
        .max(MAX_LABEL_KEY_LENGTH + 1 + MAX_LABEL_VALUE_LENGTH)
        .regex(/^[^=]+=/, 'must be key=value'),
    )
    .min(1)
    .max(MAX_LABELS)

/** Rows with all of these labels, `key=value`; the account is what the index of labels begins with. */
export const labelled = (noun: string) => ({
  type: labelList().optional().describe(`Labels, as key=value: only ${noun} with all of them.`),
  where: (labels: readonly string[], scope: { accountId?: unknown }) => ({
    AND: labels.map((label) => ({ labels: { some: { accountId: scope.accountId, ...labelOf(label) } } })),
  }),
})

export function labelOf(text: string): { key: string; value: string } {
  const at = text.indexOf('=')
  return { key: text.slice(0, at), value: text.slice(at + 1) }
}

/** The conditions of those that are given. */
export const conditionsOf = (
  filters: ListFilters,
  given: Readonly<Record<string, unknown>>,
  scope: object = {},
): object[] =>
  Object.entries(filters).flatMap(([name, { where }]) => (given[name] === undefined ? [] : [where(given[name], scope)]))
