import { authorization } from '../../resources/authorization.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'

export const getAuthorization = getOne({
  name: 'getAuthorization',
  permission: 'token:own',
  about: 'An application that a user has authorised by OAuth.',
  query: { authorizationId: id('authorization') },
  answer: authorization.answer,
  find: ({ services, caller }, { authorizationId }) => services.authorizations.get(caller, authorizationId),
  show: authorization.answer.of,
})

export const listAuthorizations = getList({
  name: 'listAuthorizations',
  permission: 'token:own',
  about: 'Applications that you have authorised by OAuth, or another user has (installation admin), newest first.',
  query: { userId: id('user').optional() },
  items: 'authorizations',
  answer: authorization.answer,
  find: ({ services, caller }, filter, page) => services.authorizations.list(caller, filter, page),
  show: authorization.answer.of,
})
