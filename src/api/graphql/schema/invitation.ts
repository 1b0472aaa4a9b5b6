import { pick, type RecordOf } from '../../../calls/resource.ts'
import { acceptInvitation } from '../../../services/account/accept-invitation.ts'
import { createInvitation } from '../../../services/account/invitation-commands.ts'
import {
  acceptedInvitation,
  createdInvitation,
  invitation,
  transferred,
} from '../../../services/account/invitation-fields.ts'
import { getInvitation } from '../../../services/account/invitation-queries.ts'
import { transferAccount } from '../../../services/account/own-membership-commands.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { described, recordType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

const Invitation = recordType<RecordOf<typeof invitation.answer>>(invitation, [Node])

commandMutation(createInvitation, (t) => ({
  invitation: t.field({
    type: Invitation,
    nullable: true,
    description: 'Invitation that was created; null after a dry run.',
    resolve: ({ result, dryRun }, _args, context) =>
      dryRun ? null : context.services.find(getInvitation, context, { invitationId: result.invitationId }),
  }),
  ...outcomeFields(t, pick(createdInvitation, 'invitationUrl', 'secret')),
}))
commandMutation(acceptInvitation, (t) => ({
  ...outcomeFields(t, pick(acceptedInvitation, 'accountId', 'userId', 'email', 'roles', 'appEnvIds')),
  secret: t.string({
    nullable: true,
    ...described('Outcome', 'token', acceptedInvitation.token.description),
    resolve: ({ result, dryRun }) => (dryRun ? null : result.token),
  }),
}))
commandMutation(transferAccount, (t) => ({
  message: messageField(t),
  ...outcomeFields(t, pick(transferred, 'userId', 'roles', 'kept')),
}))
