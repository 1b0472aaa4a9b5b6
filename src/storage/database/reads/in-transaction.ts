import type { Row } from './by-key.ts'
import type { Models } from './data-model.ts'
import type { Query } from './selection.ts'
import { Statements } from './statements.ts'

/** A client of Prisma, or a transaction of one. */
export interface Connected {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): PromiseLike<T>
}

/** By what Prisma knows of the tables, which a client shares with its transactions. */
const statements = new WeakMap<object, Statements>()

const dataModelOf = (client: object) => (client as { _runtimeDataModel: object })._runtimeDataModel

/** Lets rows be read inside transactions of this client as its reader reads them. */
export const useInTransactions = (client: object, models: Models): void => {
  statements.set(dataModelOf(client), new Statements(models))
}

/** On the transaction's own connection, which sees what it has written. Null for a query that only Prisma knows. */
export async function inTransaction(tx: Connected, model: string, query: Query): Promise<Row[] | null> {
  const statement = statements.get(dataModelOf(tx))?.prepare(model, query)
  if (!statement) return null
  const { text, values, decode } = statement
  const [answer] = await tx.$queryRawUnsafe<{ rows: string | null }[]>(`SELECT (${text})::text AS rows`, ...values)
  return answer?.rows ? (decode(JSON.parse(answer.rows) as never) as Row[]) : []
}
