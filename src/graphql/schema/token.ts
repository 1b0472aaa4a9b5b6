import type { tokenRecord } from '../../services/token/token-commands.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { ScopeEnum, TokenKindEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'

type Record = ReturnType<typeof tokenRecord>

/** Answers of services call it tokenId, as REST does. */
export const asToken = (record: Record) => ({ ...record, id: record.tokenId })

export const Token = builder.objectRef<ReturnType<typeof asToken>>('Token').implement({
  description: 'What a token may do, and until when. Never its secret.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    kind: t.expose('kind', { type: TokenKindEnum, description: 'What kind of token it is.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    userId: t.exposeID('userId', { nullable: true, description: 'The user whose rights it carries.' }),
    appEnvId: t.exposeID('appEnvId', { nullable: true, description: 'The environment that it operates.' }),
    scopes: t.field({ type: [ScopeEnum], description: 'Its scopes.', resolve: ({ scopes }) => scopes as 'SVC_READ'[] }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it stops working.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

findableAsNode('tok', 'Token', async ({ services, caller }, id) => asToken(await services.tokens.get(caller, id)))

builder.queryFields((t) => ({
  token: t.field({
    type: Token,
    nullable: true,
    description: 'One token, without its secret.',
    args: { id: t.arg.id({ required: true, description: 'Id of the token.' }) },
    resolve: async (_root, { id }, { services, caller }) => asToken(await services.tokens.get(caller, id)),
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
      return connectionOf({ ...found, rows: found.rows.map(asToken) }, ({ id }) => id, page.after)
    },
  }),
}))
