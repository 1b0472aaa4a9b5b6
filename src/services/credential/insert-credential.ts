import { newId } from '../../domain/ids.ts'
import type { CommandContext } from '../kernel/command.ts'
import { type CredentialType, publicDataOf } from './credential-data.ts'

interface NewCredential {
  type: CredentialType
  name: string
  data: Record<string, string>
}

/** Writes a credential whose data was checked, sealed with the key of its account. Returns its id. */
export async function insertCredential(
  { tx, vault, announce }: CommandContext,
  account: { id: string; dataKey: string },
  { type, name, data }: NewCredential,
): Promise<string> {
  const credentialId = newId('cred')
  const sealedData = vault.forAccount(account).sealCredential(credentialId, data)
  await tx.credential.create({
    data: { id: credentialId, accountId: account.id, type, name, sealedData, publicData: publicDataOf(type, data) },
  })
  announce({ type: 'credential.changed', payload: { credentialId, type, name } })
  return credentialId
}
