import { authorization } from '../../resources/authorization.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { revokeAuthorization } from '../../services/oauth/authorization-commands.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField } from './payload-fields.ts'

const Authorization = recordType<RecordOf<typeof authorization.answer>>(authorization, [Node])

findableAsNode('oau', 'Authorization', ({ services, caller }, id) => services.authorizations.get(caller, id))

builder.queryFields((t) => ({
  authorization: t.field({
    type: Authorization,
    nullable: true,
    description: 'An application that a user has authorised by OAuth, by the id of the authorization.',
    args: { id: t.arg.id({ required: true, description: 'Id of the authorization.' }) },
    resolve: (_root, { id }, { services, caller }) => services.authorizations.get(caller, id),
  }),
  authorizations: t.connection({
    type: Authorization,
    extensions: { pageSize: ROOT_PAGE },
    description:
      'Applications that you have authorised by OAuth, or another user has (for the admin of the installation), newest first.',
    args: { userId: t.arg.id({ description: 'Id of the user; yourself when omitted.' }) },
    async resolve(_root, { userId, ...page }, { services, caller }) {
      const found = await services.authorizations.list(
        caller,
        { userId: userId ?? undefined },
        pageRequest(page, ROOT_PAGE),
      )
      return connectionOf(found, ({ authorizationId }) => authorizationId, page.after)
    },
  }),
}))

commandMutation(revokeAuthorization, { payload: (t) => ({ message: messageField(t) }) })
