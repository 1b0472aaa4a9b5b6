import type { Database } from '../../database/client.ts'
import { notFound } from '../../domain/errors.ts'
import { credential } from '../../resources/credential.ts'
import { ORDER } from '../../resources/order.ts'
import { answer } from '../../resources/resource.ts'
import { accountOrCurrent, type Caller, permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import type { PageRequest } from '../kernel/page.ts'
import { findByKey } from '../kernel/read.ts'
import { requireAccount } from '../targets/load-account.ts'

interface CredentialFilter {
  accountId?: string | undefined
}

/** What may be shown of a credential, in both APIs: everything but its secrets. */
export const credentialRecord = answer({ ...credential.fields, ...credential.graphqlFields })

const wanted = { select: credentialRecord.select }

/** Whoever may see an app may see which logins it can refer to; their secrets are in no answer. */
const credentials = collection({
  model: 'Credential',
  orderBy: ORDER.credential,
  async scope(database, caller, { accountId }: CredentialFilter) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'account:read', { accountId: owner })
    return { accountId: owner }
  },
})

export async function listCredentials(
  database: Database,
  caller: Caller,
  filter: CredentialFilter,
  request: PageRequest,
) {
  const { rows, nextCursor } = await credentials.list(database, caller, filter, request, wanted)
  return { rows: rows.map((row) => credentialRecord.record(row)), nextCursor }
}

export async function getCredential(database: Database, caller: Caller, credentialId: string) {
  const row = await findByKey(database, 'Credential', { ...wanted, where: { id: credentialId } })
  if (!row) throw notFound('credential', credentialId)
  permit(caller, 'account:read', { accountId: row.accountId })
  return credentialRecord.record(row)
}
