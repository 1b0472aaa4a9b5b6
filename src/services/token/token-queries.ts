import { type Caller, permit, userOf } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { containing, oneOf } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { collectedQuery, recordQuery } from '../../calls/query.ts'
import type { Database } from '../../storage/database/client.ts'
import { getAppEnv } from '../targets/get-app-env.ts'
import { IS_NO_SESSION, loadToken, permitOthers } from '../targets/load-token.ts'
import { token, tokenKind } from './token-fields.ts'

interface TokenFilter {
  userId?: string | undefined
  appEnvId?: string | undefined
}

/** Tokens of the caller, of another user (installation admin), or of one environment (account admin). */
const tokens = collection({
  model: 'Token',
  filters: {
    name: containing('name', 'Text in the name, in any case.'),
    kind: oneOf('kind', tokenKind, 'Kinds: only tokens of one of these.'),
  },
  async scope(database, caller, { userId, appEnvId }: TokenFilter) {
    const own = userOf(caller)
    if (appEnvId) {
      const { accountId } = await getAppEnv(database, caller, { appEnvId })
      permit(caller, 'token:manage', { accountId, appEnvId })
      return { appEnvId }
    }
    if (userId && userId !== own) permitOthers(caller, null, null)
    return { userId: userId ?? own, ...IS_NO_SESSION }
  },
})

async function findToken(database: Database, caller: Caller, tokenId: string) {
  const { appEnv, ...found } = await loadToken(database, tokenId)
  if (found.userId !== userOf(caller)) permitOthers(caller, appEnv?.accountId ?? null, found.appEnvId)
  return token.answer.record(found)
}

export const getToken = recordQuery({
  name: 'getToken',
  path: '/token',
  permission: 'token:own',
  about: 'A token, without its secret.',
  input: { tokenId: id('token') },
  key: { field: 'tokenId', prefix: 'tok' },
  of: token,
  find: ({ database, caller }, { tokenId }) => findToken(database, caller, tokenId),
})

export const listTokens = collectedQuery({
  name: 'listTokens',
  path: '/tokens',
  permission: 'token:own',
  about: 'Your tokens, those of another user (installation admin), or those of an environment (account admin).',
  input: { userId: id('user').optional(), appEnvId: id('environment').optional() },
  of: token,
  from: tokens,
  wanted: { select: token.answer.select },
  records: (rows) => rows.map((row) => token.answer.record(row)),
  cursorOf: ({ tokenId }) => tokenId,
})
