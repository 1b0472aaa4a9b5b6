import { type Caller, userOf } from '../../calls/caller.ts'
import { query } from '../../calls/query.ts'
import { findByKey, type Wanted } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { User } from '../../storage/database/generated/prisma/client.ts'
import { type Actor, user as userNoun } from './user-fields.ts'

/** The user behind the call. */
export async function findSelf(database: Database, caller: Caller, wanted: Wanted = {}): Promise<User> {
  const id = userOf(caller)
  const user = await findByKey(database, 'User', { ...wanted, where: { id } })
  if (!user) throw notFound('user', id)
  return user
}

/**
 * The user whom a thing names, as all see them who see the thing. The secret of an environment is in its containers: it
 * shows nothing of people.
 */
export function findActor(database: Database, caller: Caller, id: string): Promise<Actor | null> {
  if (caller.kind === 'ENVIRONMENT' || caller.kind === 'INVITATION') return Promise.resolve(null)
  return findByKey(database, 'User', { select: { id: true, username: true }, where: { id } })
}

/** REST has the user with the token: getUserToken. */
export const getSelf = query({
  name: 'getSelf',
  path: null,
  permission: 'user:read',
  about: 'The user behind the token.',
  input: {},
  inGraphQL: 'me',
  of: userNoun,
  isAlwaysThere: true,
  find: ({ database, caller }, _input, wanted) => findSelf(database, caller, wanted),
})
