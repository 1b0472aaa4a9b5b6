import { type Caller, permit, userOf } from '../../calls/caller.ts'
import { id } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { type PageRequest, page } from '../../calls/page.ts'
import { recordListQuery, recordQuery } from '../../calls/query.ts'
import { findRows } from '../../calls/read.ts'
import type { Database } from '../../storage/database/client.ts'
import { getAppEnv } from '../targets/get-app-env.ts'
import { IS_NO_SESSION, loadToken, permitOthers } from '../targets/load-token.ts'
import { token } from './token-fields.ts'

/** Tokens of the caller, of another user (installation admin), or of one environment (account admin). */
async function findTokens(
  database: Database,
  caller: Caller,
  { userId, appEnvId }: { userId?: string | undefined; appEnvId?: string | undefined },
  request: PageRequest,
) {
  const own = userOf(caller)
  if (appEnvId) {
    const { accountId } = await getAppEnv(database, caller, { appEnvId })
    permit(caller, 'token:manage', { accountId, appEnvId })
  } else if (userId && userId !== own) permitOthers(caller, null, null)
  const where = appEnvId ? { appEnvId } : { userId: userId ?? own, ...IS_NO_SESSION }
  const { select } = token.answer
  const { rows, nextCursor } = await page(
    request,
    ({ take, after }) =>
      findRows(database, 'Token', { select, where: { AND: [where, after] }, take, orderBy: ORDER.token }),
    ORDER.token,
  )
  return { rows: rows.map((row) => token.answer.record(row)), nextCursor }
}

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

export const listTokens = recordListQuery({
  name: 'listTokens',
  path: '/tokens',
  permission: 'token:own',
  about: 'Your tokens, those of another user (installation admin), or those of an environment (account admin).',
  input: { userId: id('user').optional(), appEnvId: id('environment').optional() },
  of: token,
  list: ({ database, caller }, filter, page) => findTokens(database, caller, filter, page),
  cursorOf: ({ tokenId }) => tokenId,
})
