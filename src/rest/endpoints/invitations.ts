import { invitation } from '../../resources/invitation.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'

export const getInvitation = getOne({
  name: 'getInvitation',
  permission: 'member:manage',
  about: 'An invitation to an account, without its secret.',
  query: { invitationId: id('invitation') },
  answer: invitation.answer,
  find: ({ services, caller }, { invitationId }) => services.accounts.invitation(caller, invitationId),
  show: invitation.answer.of,
})

export const listInvitations = getList({
  name: 'listInvitations',
  permission: 'member:manage',
  about: 'The invitations of an account, newest first: the open ones, and those that ended lately.',
  query: { accountId: id('account') },
  items: 'invitations',
  answer: invitation.answer,
  find: ({ services, caller }, filter, page) => services.accounts.invitations(caller, filter, page),
  show: invitation.answer.of,
})
