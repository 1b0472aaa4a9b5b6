import { credential } from '../../resources/credential.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'

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
