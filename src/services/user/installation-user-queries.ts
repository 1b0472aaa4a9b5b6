import { permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { containing, whether } from '../../calls/filters.ts'
import { BY_AGE } from '../../calls/order.ts'
import { collectedQuery } from '../../calls/query.ts'
import type { Database } from '../../storage/database/client.ts'
import type { User } from '../../storage/database/generated/prisma/client.ts'
import { type InstallationUserRow, installationUser } from './installation-user-fields.ts'

/** All users, for the admin of the installation. */
const users = collection({
  model: 'User',
  orders: BY_AGE,
  filters: {
    search: containing(
      (condition) => ({ OR: [{ username: condition }, { email: condition }] }),
      'Text in the name or the e-mail address, in any case.',
    ),
    isInstallationAdmin: whether('isInstallationAdmin', 'Whether only admins of the installation, or only others.'),
  },
  async scope(_database, caller, _filter: object) {
    permit(caller, 'installation:manage', { accountId: null })
    return {}
  },
})

interface Seen {
  id: string
  accountCount: number
  lastSignInAt: Date | null
  lastUsedAt: Date | null
}

const NEVER = { accountCount: 0, lastSignInAt: null, lastUsedAt: null }

async function withActivity(database: Database, rows: readonly User[]): Promise<InstallationUserRow[]> {
  const found = await database.$queryRaw<Seen[]>`
    SELECT u.id,
      (SELECT count(*)::int FROM membership m WHERE m.user_id = u.id) AS "accountCount",
      (SELECT max(t.created_at) FROM token t WHERE t.user_id = u.id AND t.kind = 'SESSION') AS "lastSignInAt",
      (SELECT max(t.last_used_at) FROM token t WHERE t.user_id = u.id) AS "lastUsedAt"
    FROM "user" u WHERE u.id = ANY(${rows.map(({ id }) => id)}::text[])`
  const seen = new Map(found.map(({ id, ...activity }) => [id, activity]))
  return rows.map((row) => ({ ...row, ...(seen.get(row.id) ?? NEVER) }))
}

export const listUsers = collectedQuery({
  name: 'listUsers',
  path: '/users',
  permission: 'installation:manage',
  about:
    'The users of the installation, with the number of their accounts and their last sign-in. For the installation’s admin.',
  input: {},
  of: installationUser,
  from: users,
  wanted: { select: installationUser.answer.select },
  records: async (rows, { database }) =>
    (await withActivity(database, rows)).map((row) => installationUser.answer.record(row)),
  cursorOf: ({ userId }) => userId,
})
