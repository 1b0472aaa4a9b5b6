import type { Models } from './data-model.ts'
import { type Decode, listOf, type Query } from './selection.ts'
import { shapeOf } from './shape.ts'
import { Unknown, type Writer } from './writer.ts'

/** More than the documents that are kept, each of which has one shape or a few. */
const MAX_SHAPES = 1_000

export interface Statement {
  /** Of the prepared statement: another for every shape, so that a connection never takes one for another. */
  name: string
  text: string
  decode: Decode
}

export interface Prepared extends Statement {
  values: unknown[]
}

/** SQL for queries as Prisma takes them, written once for each shape and kept for the most recent of them. */
export class Statements {
  readonly #models: Models
  readonly #kept = new Map<string, Statement | null>()
  #written = 0

  constructor(models: Models) {
    this.#models = models
  }

  /** Null for a query that only Prisma knows. */
  prepare(model: string, query: Query): Prepared | null {
    const values: unknown[] = []
    const shape = `${model} ${shapeOf(query, values)}`
    let statement = this.#kept.get(shape)
    if (statement === undefined) {
      statement = this.#write(model, query, values)
      this.#keep(shape, statement)
    }
    return statement && { ...statement, values }
  }

  #keep(shape: string, statement: Statement | null): void {
    this.#kept.set(shape, statement)
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size > MAX_SHAPES && oldest !== undefined) this.#kept.delete(oldest)
  }

  #write(name: string, query: Query, values: readonly unknown[]): Statement | null {
    const writer: Writer = { models: this.#models, values: [], aliases: 0 }
    try {
      const model = this.#models.get(name)
      if (!model) return null
      const { sql, decode } = listOf(writer, model, query)
      // The shape and the statement must agree on the order of values, or others of the shape would be mixed up.
      const isInOrder =
        values.length === writer.values.length && values.every((value, index) => Object.is(value, writer.values[index]))
      if (!isInOrder || !decode) return null
      this.#written += 1
      return { name: `berth_read_${this.#written}`, text: sql, decode }
    } catch (error) {
      if (error instanceof Unknown) return null
      throw error
    }
  }
}
