import type { Database, Transaction } from '../../storage/database/client.ts'
import { isTransient } from '../../storage/database/errors.ts'
import type { Lease } from './lease.ts'

const TRIES = 3

/** A transaction of the lease's holder: once more after a deadlock or a serialization failure, which undid it all. */
export async function underLease<T>(
  database: Database,
  lease: Lease,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    lease.assertHeld()
    try {
      return await database.$transaction(work)
    } catch (error) {
      if (tries >= TRIES || !isTransient(error)) throw error
    }
  }
}
