import { accountOrCurrent, type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { containing, oneOf } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { BY_AGE_OR_NAME } from '../../calls/order.ts'
import { collectedQuery, recordQuery, wholeListQuery } from '../../calls/query.ts'
import { findByKey } from '../../calls/read.ts'
import { answer } from '../../calls/resource.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { credential, credentialType, credentialUsage } from './credential-fields.ts'
import { findCredentialUsages } from './credential-usages.ts'

interface CredentialFilter {
  accountId?: string | undefined
}

/** What may be shown of a credential, in both APIs: everything but its secrets. */
export const credentialRecord = answer({ ...credential.fields, ...credential.graphqlFields })

const wanted = { select: credentialRecord.select }

/** The right to see an app includes the logins that it can refer to; their secrets are in no answer. */
const credentials = collection({
  model: 'Credential',
  orders: BY_AGE_OR_NAME,
  filters: {
    name: containing('name', 'Text in the name, in any case.'),
    type: oneOf('type', credentialType, 'Types: only credentials of one of these.'),
  },
  async scope(database, caller, { accountId }: CredentialFilter) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'account:read', { accountId: owner })
    return { accountId: owner }
  },
})

async function findCredential(database: Database, caller: Caller, credentialId: string) {
  const row = await findByKey(database, 'Credential', { ...wanted, where: { id: credentialId } })
  if (!row) throw notFound('credential', credentialId)
  permit(caller, 'account:read', { accountId: row.accountId })
  return credentialRecord.record(row)
}

export const getCredential = recordQuery({
  name: 'getCredential',
  path: '/credential',
  permission: 'account:read',
  about: 'A credential, without its secrets.',
  input: { credentialId: id('credential') },
  key: { field: 'credentialId', prefix: 'cred' },
  of: credential,
  version: true,
  find: ({ database, caller }, { credentialId }) => findCredential(database, caller, credentialId),
})

export const listCredentials = collectedQuery({
  name: 'listCredentials',
  path: '/credentials',
  permission: 'account:read',
  about: 'The credentials of an account; of your current account when accountId is omitted.',
  input: { accountId: id('account').optional() },
  of: credential,
  from: credentials,
  wanted,
  records: (rows) => rows.map((row) => credentialRecord.record(row)),
  cursorOf: ({ credentialId }) => credentialId,
})

export const listCredentialUsages = wholeListQuery({
  name: 'listCredentialUsages',
  path: '/credential/usages',
  permission: 'account:read',
  about:
    'Usages of a credential, at most 100 of each kind, in the newest 1,000 environments of the account. Builds whose base images a default pulls are not counted.',
  input: { credentialId: id('credential') },
  of: credentialUsage,
  isRecord: true,
  items: 'usages',
  itemsAbout: 'Usages of the credential, by kind.',
  all: ({ database, caller }, { credentialId }) => findCredentialUsages(database, caller, credentialId),
})
