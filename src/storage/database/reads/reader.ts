import { ByKey, type Row } from './by-key.ts'
import type { Models } from './data-model.ts'
import type { ReadConnections } from './read-connections.ts'
import type { WantedText } from './row-text.ts'
import type { Query } from './selection.ts'
import { Statements } from './statements.ts'

/** How often a query was answered by whom, for metrics and tests. */
export interface ReadCounts {
  byReader: number
  byPrisma: number
}

/** Prisma's own read of a model's rows. */
export type FindMany = (query: Query) => Promise<Row[]>

/**
 * Answers queries as Prisma takes them by one prepared statement each, relations included. What it does not know is
 * answered by Prisma, and counted.
 */
export class Reader {
  readonly counts: ReadCounts = { byReader: 0, byPrisma: 0 }
  readonly #statements: Statements
  readonly #connections: ReadConnections
  readonly #onQuery: ((sql: string) => void) | undefined
  readonly #byKey = new ByKey()

  constructor(models: Models, connections: ReadConnections, onQuery?: (sql: string) => void) {
    this.#statements = new Statements(models)
    this.#connections = connections
    this.#onQuery = onQuery
  }

  async findMany(model: string, asked: Query, viaPrisma: FindMany) {
    const { text, ...query } = asked
    const texts = text && (await this.#texts(model, query, text))
    if (texts) return texts
    const statement = this.#statements.prepare(model, query)
    if (!statement) {
      this.counts.byPrisma += 1
      return viaPrisma(query)
    }
    this.counts.byReader += 1
    this.#onQuery?.(statement.text)
    const json = await this.#connections.ask(statement)
    return json === null ? [] : (statement.decode(JSON.parse(json) as never) as Row[])
  }

  async #texts(model: string, query: Query, wanted: WantedText): Promise<Row[] | null> {
    const statement = this.#statements.prepareTexts(model, query, wanted)
    if (!statement) return null
    this.counts.byReader += 1
    this.#onQuery?.(statement.text)
    return statement.decode(await this.#connections.askRows(statement)) as Row[] | null
  }

  /** One value of the reader's own session, for tests. */
  ask(text: string): Promise<string | null> {
    return this.#connections.ask({ name: '', text, values: [] })
  }

  /** By a unique field, or by fields that are unique together. */
  async findByKey(model: string, query: Query, viaPrisma: FindMany): Promise<Row | null> {
    const { where, ...rest } = query
    const find = (asked: Query) => this.findMany(model, asked, viaPrisma)
    const [[field, value] = ['', null], ...others] = Object.entries(where ?? {})
    if (typeof value === 'string' && others.length === 0) return this.#byKey.find(model, field, value, rest, find)
    const [row] = await find(query)
    return row ?? null
  }
}

const readers = new WeakMap<object, Reader>()

/** Lets a client's lists and single rows be answered by the reader. */
export const useReader = (client: object, reader: Reader): void => {
  readers.set(client, reader)
}

/** Undefined for a transaction, whose reads belong to its own connection. */
export const readerOf = (client: object): Reader | undefined => readers.get(client)

/** For tests, which compare its answers with Prisma's. Returns how to use it again. */
export const withoutReader = (client: object): (() => void) => {
  const reader = readers.get(client)
  readers.delete(client)
  return () => void (reader && readers.set(client, reader))
}
