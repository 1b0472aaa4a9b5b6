import type { Database } from '../../database/client.ts'
import { ORDER } from '../../resources/order.ts'
import { token } from '../../resources/token.ts'
import { getAppEnv } from '../app-env/app-env-queries.ts'
import { type Caller, permit, userOf } from '../kernel/caller.ts'
import { type PageRequest, page } from '../kernel/page.ts'
import { findRows } from '../kernel/read.ts'
import { IS_NO_SESSION, loadToken, permitOthers } from '../targets/load-token.ts'

/** Tokens of the caller, of another user (installation admin), or of one environment (account admin). */
export async function listTokens(
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

export async function getToken(database: Database, caller: Caller, tokenId: string) {
  const { appEnv, ...found } = await loadToken(database, tokenId)
  if (found.userId !== userOf(caller)) permitOthers(caller, appEnv?.accountId ?? null, found.appEnvId)
  return token.answer.record(found)
}
