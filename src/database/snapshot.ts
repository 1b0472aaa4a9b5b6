import type { Database, Transaction } from './client.ts'

/**
 * Reads that make up one answer. Without a transaction every statement sees a state of its own, and an answer could be
 * half from before an operation and half from after it.
 */
export const inSnapshot = <T>(database: Database, read: (tx: Transaction) => Promise<T>): Promise<T> =>
  database.$transaction(read, { isolationLevel: 'RepeatableRead' })
