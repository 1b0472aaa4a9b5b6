import type { Database, Transaction } from './client.ts'

/**
 * Reads that together make one answer. Without a transaction every statement sees a moment of its own, and what is
 * told of an environment could be half from before an operation and half from after it.
 */
export const inSnapshot = <T>(database: Database, read: (tx: Transaction) => Promise<T>): Promise<T> =>
  database.$transaction(read, { isolationLevel: 'RepeatableRead' })
