import type { Database } from '../../database/client.ts'
import { getAppEnv } from '../app-env/app-env-queries.ts'
import { type Caller, permit, userOf } from '../kernel/caller.ts'
import { type PageRequest, page } from '../kernel/page.ts'
import { getToken as findToken, permitOthers, tokenRecord } from './token-commands.ts'

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
  const where = appEnvId ? { appEnvId } : { userId: userId ?? own }
  const { rows, nextCursor } = await page(request, ({ take, after, orderBy }) =>
    database.token.findMany({ where: { AND: [where, after] }, take, orderBy }),
  )
  return { rows: rows.map(tokenRecord), nextCursor }
}

export async function getToken(database: Database, caller: Caller, tokenId: string) {
  const { appEnv, ...token } = await findToken(database, tokenId)
  if (token.userId !== userOf(caller)) permitOthers(caller, appEnv?.accountId ?? null, token.appEnvId)
  return tokenRecord(token)
}
