import type { Database } from '../../database/client.ts'
import type { User } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { type Caller, userOf } from '../kernel/caller.ts'
import { findByKey, type Wanted } from '../kernel/read.ts'

/** The user behind the call. */
export async function getSelf(database: Database, caller: Caller, wanted: Wanted = {}): Promise<User> {
  const id = userOf(caller)
  const user = await findByKey(database, 'User', { ...wanted, where: { id } })
  if (!user) throw notFound('user', id)
  return user
}
