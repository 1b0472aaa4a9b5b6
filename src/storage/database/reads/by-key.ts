import { isDatabaseAway } from '../away.ts'
import type { Query } from './selection.ts'
import { shapeOf } from './shape.ts'

export type Row = Record<string, unknown>

type Find = (query: Query) => Promise<Row[]>

interface Asking {
  resolve(row: Row | null): void
  reject(error: unknown): void
}

/**
 * Rows that are looked for by one field at the same time. Those that want the same of their rows are read by one
 * statement: rows of a list that are completed one by one would otherwise cost a statement each.
 */
export class ByKey {
  /** Those who ask, by the value of the field. */
  readonly #batches = new Map<string, Map<string, Asking[]>>()

  find(model: string, field: string, value: string, query: Query, find: Find): Promise<Row | null> {
    const values: unknown[] = []
    // As JSON: joined with spaces, values of one caller could read like those of another.
    const name = JSON.stringify([model, field, shapeOf(query, values), values], (_key, one) =>
      typeof one === 'bigint' ? `${one}n` : one,
    )
    const batch = this.#batches.get(name) ?? this.#begin(name, field, query, find)
    return new Promise((resolve, reject) => {
      const asking = { resolve, reject }
      const others = batch.get(value)
      if (others) others.push(asking)
      else batch.set(value, [asking])
    })
  }

  #begin(name: string, field: string, query: Query, find: Find): Map<string, Asking[]> {
    const batch = new Map<string, Asking[]>()
    this.#batches.set(name, batch)
    process.nextTick(() => {
      this.#batches.delete(name)
      void read(batch, field, query, find)
    })
    return batch
  }
}

type Batch = Map<string, Asking[]>

async function read(batch: Batch, field: string, query: Query, find: Find): Promise<void> {
  try {
    const rows = batch.size === 1 ? find(oneOf(batch, field, query)) : find(manyOf(batch, field, query))
    const found = new Map((await rows).map((row) => [batch.size === 1 ? [...batch.keys()][0] : row[field], row]))
    for (const [value, asking] of batch) for (const { resolve } of asking) resolve(found.get(value) ?? null)
  } catch (error) {
    // One value that the database refuses must not fail the other reads of the batch, which may be of other callers.
    const isRefused = batch.size > 1 && !isDatabaseAway(error)
    if (isRefused) return void (await Promise.all([...batch].map((one) => read(new Map([one]), field, query, find))))
    for (const asking of batch.values()) for (const { reject } of asking) reject(error)
  }
}

const oneOf = (batch: Map<string, unknown>, field: string, query: Query): Query => ({
  ...query,
  where: { [field]: [...batch.keys()][0] },
})

/** The field itself maps rows to keys. */
const manyOf = (batch: Map<string, unknown>, field: string, { select, ...query }: Query): Query => ({
  ...query,
  ...(select ? { select: { ...select, [field]: true } } : {}),
  where: { [field]: { in: [...batch.keys()] } },
})
