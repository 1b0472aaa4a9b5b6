import { type Caller, permit, userOf } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { id } from '../../calls/input.ts'
import { collectedQuery, recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { permitOthers } from '../targets/load-token.ts'
import { authorization } from './authorization-fields.ts'
import { isAlive } from './authorizations.ts'

const include = { client: true, parent: true } as const

/** Applications that the caller has authorised, or those of another user (installation admin). */
const authorizations = collection({
  model: 'Authorization',
  async scope(_database, caller, { userId }: { userId?: string | undefined }) {
    const own = userOf(caller)
    if (userId && userId !== own) permitOthers(caller, null, null)
    permit(caller, 'token:own', { accountId: null })
    return { userId: userId ?? own }
  },
})

const loadAuthorization = (database: Database, id: string) =>
  database.authorization.findUnique({ where: { id }, include })

async function findAuthorization(database: Database, caller: Caller, authorizationId: string) {
  const row = await loadAuthorization(database, authorizationId)
  if (!row) throw notFound('authorization', authorizationId)
  if (row.userId !== userOf(caller)) permitOthers(caller, null, null)
  permit(caller, 'token:own', { accountId: null })
  return authorization.answer.record({ ...row, hasExpired: !isAlive(row, await databaseTime(database)) })
}

/** The user and the accounts that a page of consent shows. */
export async function readConsent(database: Database, caller: Caller) {
  const user = await database.user.findUniqueOrThrow({
    where: { id: userOf(caller) },
    select: {
      id: true,
      username: true,
      email: true,
      isInstallationAdmin: true,
      memberships: { select: { roles: true, account: { select: { name: true } } }, orderBy: { accountId: 'asc' } },
    },
  })
  const { memberships, ...person } = user
  return { ...person, accounts: memberships.map(({ roles, account }) => ({ name: account.name, roles })) }
}

export const getAuthorization = recordQuery({
  name: 'getAuthorization',
  path: '/user/authorization',
  permission: 'token:own',
  about: 'An application that a user has authorised by OAuth.',
  input: { authorizationId: id('authorization') },
  key: { field: 'authorizationId', prefix: 'oau' },
  of: authorization,
  find: ({ database, caller }, { authorizationId }) => findAuthorization(database, caller, authorizationId),
})

export const listAuthorizations = collectedQuery({
  name: 'listAuthorizations',
  path: '/user/authorizations',
  permission: 'token:own',
  about: 'Applications that you have authorised by OAuth, or another user has (installation admin), newest first.',
  input: { userId: id('user').optional() },
  of: authorization,
  from: authorizations,
  wanted: { include },
  async records(rows, { database }) {
    const now = await databaseTime(database)
    const found = rows as unknown as NonNullable<Awaited<ReturnType<typeof loadAuthorization>>>[]
    return found.map((row) => authorization.answer.record({ ...row, hasExpired: !isAlive(row, now) }))
  },
  cursorOf: ({ authorizationId }) => authorizationId,
})
