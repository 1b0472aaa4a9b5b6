import type { Database } from '../../database/client.ts'

const clients = new WeakMap<object, Database>()

/** Lets whoever builds the GraphQL schema load, by its services, what a row came without. */
export const allowNestedReads = (services: object, database: Database): void => {
  clients.set(services, database)
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
