import type { Target } from '../../calls/command.ts'
import { notFound } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Account, Credential } from '../../storage/database/generated/prisma/client.ts'

export type CredentialTarget = Target & { credential: Credential & { account: Account } }

export async function lockCredential(tx: Transaction, credentialId: string): Promise<CredentialTarget> {
  await tx.$queryRaw`SELECT 1 FROM credential WHERE id = ${credentialId} FOR UPDATE`
  const credential = await tx.credential.findUnique({ where: { id: credentialId }, include: { account: true } })
  if (!credential) throw notFound('credential', credentialId)
  return {
    type: 'credential',
    id: credential.id,
    accountId: credential.accountId,
    version: credential.version,
    credential,
  }
}
