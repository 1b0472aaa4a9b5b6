import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { lockUnderToken } from '../claim/leased-table.ts'
import { underLease } from '../claim/under-lease.ts'
import type { RunLease } from './run-lease.ts'

/**
 * Runs a transaction that can commit only while this worker holds the run: it locks the run's row under the fencing
 * token, so that a claim by another worker comes either before (and this throws LeaseLost) or after.
 */
export async function fencedRun<T>(
  database: Database,
  lease: RunLease,
  write: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const written = await underLease(database, lease, async (tx) => {
    await lockUnderToken(tx, 'job_run', lease)
    return write(tx)
  })
  failpoint('run.written', lease.appEnvId)
  return written
}
