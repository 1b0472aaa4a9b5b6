import type { Database, Transaction } from '../../database/client.ts'
import { isOpen, type OperationStatus } from '../../domain/operation.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { LeaseLost, OperationEnded } from './abandoned.ts'
import type { Lease } from './lease.ts'
import { underLease } from './under-lease.ts'

/**
 * Runs a transaction that can commit only while this worker holds the lease. It locks the environment's row under the
 * fencing token, so a claim by another worker comes either before (and this throws LeaseLost) or after. Throws
 * OperationEnded when the operation was cancelled or superseded meanwhile.
 */
export async function fenced<T>(database: Database, lease: Lease, write: (tx: Transaction) => Promise<T>): Promise<T> {
  const written = await underLease(database, lease, async (tx) => {
    await lockUnderToken(tx, lease)
    failpoint('fenced.locked', lease.appEnvId)
    const written = await write(tx)
    failpoint('fenced.written', lease.appEnvId)
    return written
  })
  failpoint('fenced.committed', lease.appEnvId)
  return written
}

async function lockUnderToken(tx: Transaction, { appEnvId, claim, operationId }: Lease): Promise<void> {
  const [held] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM app_env WHERE id = ${appEnvId} AND lease_token = ${claim.token} FOR UPDATE`
  if (!held) throw new LeaseLost(`Another worker has claimed ${appEnvId}`)
  if (!operationId) return
  // Read after the lock, which requests that end operations take too: the status cannot change before the commit.
  const [operation] = await tx.$queryRaw<{ status: OperationStatus }[]>`
    SELECT status::text AS status FROM operation WHERE id = ${operationId}`
  if (!operation || !isOpen(operation.status)) throw new OperationEnded(`${operationId} has ended`)
}
