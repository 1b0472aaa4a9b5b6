import type { Database } from '../storage/database/client.ts'
import { findByKey, type ModelName } from './read.ts'

const clients = new WeakMap<object, Database>()

/** Lets the GraphQL schema load, through the services, what was not selected with a row. */
export const allowNestedReads = (services: object, database: Database): void => {
  clients.set(services, nestedReads(database))
}

/**
 * For the builder of the GraphQL schema alone, which completes rows that the services have handed out by their own keys.
 * Resolvers ask the services; the import rules keep them from here.
 */
export function nestedReadsOf(services: object): Database {
  const client = clients.get(services)
  if (!client) throw new Error('These services allow no nested reads')
  return client
}

type Query = Parameters<typeof findByKey>[2]

/** The client as far as rows are completed by it: single rows, by the same reader as all others. */
function nestedReads(database: Database): Database {
  const delegates = new Map<string, object>()
  return new Proxy(database, {
    get(client, name: keyof Database & string) {
      const delegate = client[name] as { findUniqueOrThrow?: (query: Query) => Promise<object> }
      if (typeof delegate?.findUniqueOrThrow !== 'function') return delegate
      const known = delegates.get(name)
      if (known) return known
      const model = (name.charAt(0).toUpperCase() + name.slice(1)) as ModelName
      const reads = {
        findUnique: (query: Query) => findByKey(client, model, byColumns(query)),
        // Prisma has the error for a row that is gone.
        findUniqueOrThrow: async (query: Query) =>
          (await findByKey(client, model, byColumns(query))) ?? delegate.findUniqueOrThrow?.(query),
      }
      delegates.set(name, reads)
      return reads
    },
  })
}

/** Prisma nests columns that are unique together: `{ accountId_userId: { accountId, userId } }`. */
function byColumns({ where, ...query }: Query): Query {
  const columns = Object.entries(where).map(([name, value]) => (typeof value === 'object' ? value : { [name]: value }))
  return { ...query, where: Object.assign({}, ...columns) }
}
