import { z } from 'zod'
import { credential, credentialUsage } from '../../resources/credential.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { read } from '../protocol/route.ts'

export const getCredential = getOne({
  name: 'getCredential',
  permission: 'account:read',
  about: 'A credential, without its secrets.',
  query: { credentialId: id('credential') },
  answer: credential.answer,
  isVersioned: true,
  find: ({ services, caller }, { credentialId }) => services.credentials.get(caller, credentialId),
  show: credential.answer.of,
})

export const listCredentials = getList({
  name: 'listCredentials',
  permission: 'account:read',
  about: 'The credentials of an account; of your current account when accountId is omitted.',
  query: { accountId: id('account').optional() },
  items: 'credentials',
  answer: credential.answer,
  find: ({ services, caller }, filter, page) => services.credentials.list(caller, filter, page),
  show: credential.answer.of,
})

export const listCredentialUsages = read({
  name: 'listCredentialUsages',
  permission: 'account:read',
  about:
    'What uses a credential and would miss it, at most 100 of each kind, in the newest 1,000 environments of the account. Builds whose base images a default pulls are not counted.',
  query: z.strictObject({ credentialId: id('credential') }),
  answer: z.object({ usages: z.array(credentialUsage.answer.type).describe('Usages of the credential, by kind.') }),
  async run({ services, caller }, { credentialId }) {
    return { usages: await services.credentials.usages(caller, credentialId) }
  },
})
