import { EXAMPLE_TIME, exampleId } from '../../calls/examples.ts'
import { fieldsOf, time, whole } from '../../calls/field.ts'
import { pick, resource } from '../../calls/resource.ts'
import type { User } from '../../storage/database/generated/prisma/client.ts'
import { user } from './user-fields.ts'

export interface InstallationUserRow
  extends Pick<User, 'id' | 'username' | 'email' | 'isInstallationAdmin' | 'createdAt'> {
  accountCount: number
  lastSignInAt: Date | null
  lastUsedAt: Date | null
}

const field = fieldsOf<InstallationUserRow>()

export const installationUser = resource({
  name: 'InstallationUser',
  id: 'InstallationUser',
  description: 'A user of the installation, as its admin sees them.',
  examples: { userId: exampleId('usr'), accountCount: 2, lastSignInAt: EXAMPLE_TIME, lastUsedAt: EXAMPLE_TIME },
  fields: {
    ...pick(user.fields, 'userId', 'username', 'email', 'isInstallationAdmin'),
    accountCount: field.given('accountCount', whole, 'Number of accounts that the user is a member of.'),
    createdAt: field.column('createdAt', time, 'Time at which the user joined.'),
    lastSignInAt: field.given(
      'lastSignInAt',
      time.nullable(),
      'Time of the user’s last sign-in in a browser; null when there was none whose session is kept: an ended one is for 30 days.',
    ),
    lastUsedAt: field.given(
      'lastUsedAt',
      time.nullable(),
      'Time at which a token or session of the user was last used, to the minute; null when none was.',
    ),
  },
})
