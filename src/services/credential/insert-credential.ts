import type { CommandContext } from '../../calls/command.ts'
import { newId } from '../../domain/ids.ts'
import { type CredentialType, publicDataOf } from './credential-data.ts'
import { makeRoomForDefault } from './default-credential.ts'

interface NewCredential {
  type: CredentialType
  name: string
  data: Record<string, string>
  /** The registry that it is the default of. */
  defaultFor: string | null
  checkedAt: Date | null
}

/** Writes a credential whose data was checked, sealed with the key of its account. Returns its id. */
export async function insertCredential(
  context: CommandContext,
  account: { id: string; dataKey: string },
  { data, ...fields }: NewCredential,
): Promise<string> {
  const { tx, vault, announce } = context
  const { type, name } = fields
  await makeRoomForDefault(context, account.id, fields.defaultFor, null)
  const credentialId = newId('cred')
  const sealedData = vault.forAccount(account).sealCredential(credentialId, data)
  await tx.credential.create({
    data: { id: credentialId, accountId: account.id, ...fields, sealedData, publicData: publicDataOf(type, data) },
  })
  announce({ type: 'credential.changed', payload: { credentialId, type, name } })
  return credentialId
}
