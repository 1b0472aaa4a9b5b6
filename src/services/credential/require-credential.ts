import { invalidField } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'

/** A reference to a credential must name one of the same account; empty clears and undefined leaves alone. */
export async function requireCredential(
  tx: Transaction,
  accountId: string,
  field: string,
  credentialId: string | undefined,
) {
  if (!credentialId) return
  const credential = await tx.credential.findFirst({ where: { id: credentialId, accountId } })
  if (credential?.type === 'CONTAINER_REGISTRY') return
  throw invalidField(
    field,
    credential ? 'must be a CONTAINER_REGISTRY credential' : 'names no credential of this account',
  )
}
