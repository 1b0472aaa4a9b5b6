import { acceptedInvitation, createdInvitation, invitation, transferred } from '../../resources/invitation.ts'
import { pick, type RecordOf } from '../../resources/resource.ts'
import { acceptInvitation } from '../../services/account/accept-invitation.ts'
import { createInvitation, revokeInvitation } from '../../services/account/invitation-commands.ts'
import { leaveAccount, transferAccount } from '../../services/account/own-membership-commands.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { described, recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

const Invitation = recordType<RecordOf<typeof invitation.answer>>(invitation, [Node])

findableAsNode('inv', 'Invitation', ({ services, caller }, id) => services.accounts.invitation(caller, id))

builder.queryFields((t) => ({
  invitation: t.field({
    type: Invitation,
    nullable: true,
    description: 'An invitation to an account, by its id, without its secret.',
    args: { id: t.arg.id({ required: true, description: 'Id of the invitation.' }) },
    resolve: (_root, { id }, { services, caller }) => services.accounts.invitation(caller, id),
  }),
  invitations: t.connection({
    type: Invitation,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The invitations of an account, newest first: the open ones, and those that ended lately.',
    args: { accountId: t.arg.id({ required: true, description: 'Id of the account.' }) },
    async resolve(_root, { accountId, ...page }, { services, caller }) {
      const found = await services.accounts.invitations(caller, { accountId }, pageRequest(page, ROOT_PAGE))
      return connectionOf(found, ({ invitationId }) => invitationId, page.after)
    },
  }),
}))

commandMutation(createInvitation, {
  versioned: true,
  payload: (t) => ({
    invitation: t.field({
      type: Invitation,
      nullable: true,
      description: 'Invitation that was created; null after a dry run.',
      resolve: ({ result, dryRun }, _args, { services, caller }) =>
        dryRun ? null : services.accounts.invitation(caller, result.invitationId),
    }),
    ...outcomeFields(t, pick(createdInvitation, 'invitationUrl', 'secret')),
  }),
})
commandMutation(revokeInvitation, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(acceptInvitation, {
  versioned: true,
  payload: (t) => ({
    ...outcomeFields(t, pick(acceptedInvitation, 'accountId', 'userId', 'email', 'roles', 'appEnvIds')),
    secret: t.string({
      nullable: true,
      ...described('Outcome', 'token', acceptedInvitation.token.description),
      resolve: ({ result, dryRun }) => (dryRun ? null : result.token),
    }),
  }),
})
commandMutation(leaveAccount, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(transferAccount, {
  versioned: true,
  payload: (t) => ({ message: messageField(t), ...outcomeFields(t, pick(transferred, 'userId', 'roles', 'kept')) }),
})
