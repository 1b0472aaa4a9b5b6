import type { CommandContext } from '../../calls/command.ts'
import { invalidField } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { registryOfLogin } from '../../domain/registry-login.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { type CredentialType, publicDataOf } from './credential-data.ts'

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

/** The registry that a credential is the default of; null for none. Throws INVALID_INPUT for what is no login of one. */
export function defaultFor(type: CredentialType, isDefault: boolean, data: Record<string, string>): string | null {
  if (!isDefault) return null
  if (type === 'CONTAINER_REGISTRY') return registryOfLogin(data.registry)
  throw invalidField('isDefault', 'is only for CONTAINER_REGISTRY credentials')
}

/** A registry has one default: the one that was, if any, is none any more. Locks the account, so that two never meet. */
export async function makeRoomForDefault(
  { tx, announce }: Pick<CommandContext, 'tx' | 'announce'>,
  accountId: string,
  registry: string | null,
  except: string | null,
): Promise<void> {
  if (registry === null) return
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const former = await findDefault(tx, accountId, registry)
  if (!former || former.id === except) return
  const { id: credentialId, type, name } = former
  await tx.credential.update({ where: { id: credentialId }, data: { defaultFor: null, version: { increment: 1 } } })
  announce({ type: 'credential.changed', payload: { credentialId, type, name } })
}

const findDefault = (tx: Transaction, accountId: string, registry: string) =>
  tx.credential.findFirst({ where: { accountId, defaultFor: registry } })
