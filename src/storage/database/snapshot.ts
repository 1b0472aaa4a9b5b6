import type { Database, Transaction } from './client.ts'

/**
 * Reads for one answer. Without a transaction every statement sees its own state, and an answer could be half from
 * before an operation and half from after it.
 */
export const inSnapshot = <T>(database: Database, read: (tx: Transaction) => Promise<T>): Promise<T> =>
  database.$transaction(read, { isolationLevel: 'RepeatableRead' })
