import { fieldsOf, flag, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { User } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<User>()

/** REST answers with these in GET /user/token; GraphQL also has users of their own. */
export const userFields = {
  userId: field.column('id', text, 'Id of the user.', { inGraphQL: { name: 'id' } }),
  username: field.column('username', text, 'Name that the user is called by.'),
  email: field.column('email', text, 'E-mail address of the user.'),
  isInstallationAdmin: field.column(
    'isInstallationAdmin',
    flag,
    'Whether the user administers the whole installation.',
  ),
  currentAccountId: field.column(
    'currentAccountId',
    text.nullable(),
    'Id of the user’s current account, which lists are about when they name none.',
    { only: 'rest' },
  ),
}

export const user = resource({
  name: 'User',
  description: 'A person who uses the installation.',
  fields: userFields,
  graphqlFields: { createdAt: field.column('createdAt', time, 'Time at which the user joined.') },
  relations: {
    currentAccount: { description: 'Current account of the user, which lists are about when they name none.' },
    memberships: { description: 'Memberships of the user in accounts.' },
  },
})

export type Actor = Pick<User, 'id' | 'username'>

const ofActor = fieldsOf<Actor>()

export const actor = resource({
  name: 'Actor',
  description: 'A user, as a thing names them.',
  fields: {
    id: ofActor.column('id', text, 'Id of the user.'),
    username: ofActor.column('username', text, 'Name of the user.'),
  },
})
