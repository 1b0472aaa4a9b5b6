import type { Model, Models } from './data-model.ts'
import { type DecodeTexts, textsOf, type WantedText } from './row-text.ts'
import { type Decode, listOf, type Query } from './selection.ts'
import { shapeOf } from './shape.ts'
import { Unknown, type Writer } from './writer.ts'

/** More than the documents that are kept, each of which has one shape or a few. */
const MAX_SHAPES = 1_000

export interface Statement<Decoder = Decode> {
  /** Of the prepared statement: another for every shape, so that a connection never takes one for another. */
  name: string
  text: string
  decode: Decoder
}

export type Prepared<Decoder = Decode> = Statement<Decoder> & { values: unknown[] }

/** What is written for a shape: the SQL, and what its answer is read by. */
interface Written<Decoder> {
  sql: string
  decode: Decoder | null
}

/** SQL for queries as Prisma takes them, written once for each shape and kept for the most recent of them. */
export class Statements {
  readonly #models: Models
  readonly #kept = new Map<string, Statement<unknown> | null>()
  #written = 0

  constructor(models: Models) {
    this.#models = models
  }

  /** Null for a query that only Prisma knows. */
  prepare(model: string, query: Query): Prepared | null {
    return this.#statement(model, '', [query], (writer, from) => listOf(writer, from, query))
  }

  /** The same for rows that are wanted as texts. Null for those that must be made of their values. */
  prepareTexts(model: string, query: Query, wanted: WantedText): Prepared<DecodeTexts> | null {
    const { select: _select, include: _include, ...part } = query
    const queries = [...wanted.lists, part]
    return this.#statement(model, `t${wanted.key}`, queries, (writer, from) => textsOf(writer, from, part, wanted))
  }

  #statement<Decoder>(
    model: string,
    kind: string,
    queries: readonly Query[],
    write: (writer: Writer, model: Model) => Written<Decoder>,
  ): Prepared<Decoder> | null {
    const values: unknown[] = []
    const shape = `${model} ${kind}${queries.map((query) => shapeOf(query, values)).join('|')}`
    let statement = this.#kept.get(shape) as Statement<Decoder> | null | undefined
    if (statement === undefined) {
      statement = this.#write(model, values, write)
      this.#keep(shape, statement)
    }
    return statement && { ...statement, values }
  }

  #keep(shape: string, statement: Statement<unknown> | null): void {
    this.#kept.set(shape, statement)
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size > MAX_SHAPES && oldest !== undefined) this.#kept.delete(oldest)
  }

  #write<Decoder>(
    name: string,
    values: readonly unknown[],
    write: (writer: Writer, model: Model) => Written<Decoder>,
  ): Statement<Decoder> | null {
    const writer: Writer = { models: this.#models, values: [], aliases: 0 }
    try {
      const model = this.#models.get(name)
      if (!model) return null
      const { sql, decode } = write(writer, model)
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
