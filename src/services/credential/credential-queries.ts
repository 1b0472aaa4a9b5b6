import type { Database } from '../../database/client.ts'
import type { Credential } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { requireAccount } from '../account/account-queries.ts'
import { accountOrCurrent, type Caller, permit } from '../kernel/caller.ts'
import { type Page, type PageRequest, page } from '../kernel/page.ts'

/** Whoever may see an app may see which logins it can refer to; their secrets are in no answer. */
export async function listCredentials(
  database: Database,
  caller: Caller,
  accountId: string | undefined,
  request: PageRequest,
): Promise<Page<Credential>> {
  const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'account:read', { accountId: owner })
  return page(request, ({ take, after, orderBy }) =>
    database.credential.findMany({ where: { accountId: owner, ...after }, take, orderBy }),
  )
}

export async function getCredential(database: Database, caller: Caller, credentialId: string): Promise<Credential> {
  const credential = await database.credential.findUnique({ where: { id: credentialId } })
  if (!credential) throw notFound('credential', credentialId)
  permit(caller, 'account:read', { accountId: credential.accountId })
  return credential
}
