import type { Model, Models } from './data-model.ts'

/** Thrown for a part of a query that the reader does not know: Prisma answers it. */
export class Unknown extends Error {}

/** What is being written: the SQL of one shape of a query. */
export interface Writer {
  models: Models
  /** Of the query that the SQL is written for; others of its shape have theirs in the same places. */
  values: unknown[]
  aliases: number
}

export const parameter = (writer: Writer, value: unknown): string => `$${writer.values.push(value)}`

export const nextAlias = (writer: Writer): string => `t${writer.aliases++}`

export function modelOf({ models }: Writer, name: string): Model {
  const model = models.get(name)
  if (!model) throw new Unknown(name)
  return model
}

/** The entries of a part of a query. Objects of classes, such as Prisma's `skip`, have a meaning of their own. */
export function entriesOf(part: unknown): [string, unknown][] {
  if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype)
    throw new Unknown('no plain object')
  return Object.entries(part)
}
