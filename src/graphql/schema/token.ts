import type { RecordOf } from '../../resources/resource.ts'
import { token } from '../../resources/token.ts'
import { builder } from '../builder.ts'
import { recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'

export const Token = recordType<RecordOf<typeof token.answer>>(token, [Node])

findableAsNode('tok', 'Token', ({ services, caller }, id) => services.tokens.get(caller, id))

builder.queryFields((t) => ({
  token: t.field({
    type: Token,
    nullable: true,
    description: 'A token by its id, without its secret.',
    args: { id: t.arg.id({ required: true, description: 'Id of the token.' }) },
    resolve: (_root, { id }, { services, caller }) => services.tokens.get(caller, id),
  }),
  tokens: t.connection({
    type: Token,
    extensions: { pageSize: ROOT_PAGE },
    description:
      'Your tokens, those of another user (for the admin of the installation) or of an environment (for account admins).',
    args: {
      userId: t.arg.id({ description: 'Id of the user; yourself when omitted.' }),
      appEnvId: t.arg.id({ description: 'Id of an environment: only its tokens.' }),
    },
    async resolve(_root, { userId, appEnvId, ...page }, { services, caller }) {
      const filter = { userId: userId ?? undefined, appEnvId: appEnvId ?? undefined }
      const found = await services.tokens.list(caller, filter, pageRequest(page, ROOT_PAGE))
      return connectionOf(found, ({ tokenId }) => tokenId, page.after)
    },
  }),
}))
