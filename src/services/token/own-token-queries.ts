import { type Caller, permit, userOf } from '../../calls/caller.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { findRow } from '../../calls/read.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { getAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { appEnvToken, userToken } from './token-fields.ts'

/** What clients read at sign-in: whose token this is. Its secret cannot be shown again, and is null. */
async function readUserToken(database: Database, caller: Caller) {
  const user = await database.user.findUniqueOrThrow({ where: { id: userOf(caller) } })
  const token = await database.token.findUniqueOrThrow({ where: { id: caller.tokenId } })
  return userToken.answer.record({ user, token })
}

/** The environment that a client is about to act on, and its newest token that still works. */
async function readAppEnvToken(database: Database, caller: Caller, address: AppEnvAddress) {
  const appEnv = await getAppEnv(database, caller, address)
  const { id: appEnvId, accountId } = appEnv
  permit(caller, 'appEnv:operate', { accountId, appEnvId })
  const newest = await findRow(database, 'Token', {
    where: {
      appEnvId,
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: await databaseTime(database) } }],
    },
    orderBy: { id: 'desc' },
    select: { id: true },
  })
  return appEnvToken.answer.record({ ...appEnv, tokenId: newest?.id ?? null })
}

export const getUserToken = recordQuery({
  name: 'getUserToken',
  path: '/user/token',
  permission: 'user:read',
  about: 'The user behind the token of the call, and what the token may do.',
  input: {},
  of: userToken,
  isSingle: false,
  isAlwaysThere: true,
  find: ({ database, caller }) => readUserToken(database, caller),
})

export const getAppEnvToken = recordQuery({
  name: 'getAppEnvToken',
  path: '/app-env/token',
  permission: 'appEnv:operate',
  about: 'The environment that a client is about to operate, and its newest token.',
  input: appEnvTarget,
  of: appEnvToken,
  isSingle: false,
  find: ({ database, caller }, address) => readAppEnvToken(database, caller, address),
})
