import { isOpen, type OperationStatus } from '../../domain/operation.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { OperationEnded } from './abandoned.ts'
import type { AppEnvLease } from './app-env-lease.ts'
import { lockUnderToken } from './leased-table.ts'
import { underLease } from './under-lease.ts'

/**
 * Runs a transaction that can commit only while this worker holds the lease. It locks the environment's row under the
 * fencing token, so a claim by another worker comes either before (and this throws LeaseLost) or after. Throws
 * OperationEnded when the operation was cancelled or superseded meanwhile.
 */
export async function fenced<T>(
  database: Database,
  lease: AppEnvLease,
  write: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const written = await underLease(database, lease, async (tx) => {
    await lockUnderToken(tx, 'app_env', lease)
    await assertOpen(tx, lease)
    failpoint('fenced.locked', lease.appEnvId)
    const written = await write(tx)
    failpoint('fenced.written', lease.appEnvId)
    return written
  })
  failpoint('fenced.committed', lease.appEnvId)
  return written
}

/** After the lock, which requests that end operations take too: the status cannot change before the commit. */
async function assertOpen(tx: Transaction, { operationId }: AppEnvLease): Promise<void> {
  if (!operationId) return
  const [operation] = await tx.$queryRaw<{ status: OperationStatus }[]>`
    SELECT status::text AS status FROM operation WHERE id = ${operationId}`
  if (!operation || !isOpen(operation.status)) throw new OperationEnded(`${operationId} has ended`)
}
