import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Membership } from '../../storage/database/generated/prisma/client.ts'

export const role = enumeration('Role', 'Role of a member in an account. Every role may read.', {
  ADMIN: 'May do everything in the account.',
  TECHNICAL: 'Changes and operates apps and environments.',
  BILLING: 'Reads usage and cost of the account.',
  POD_ACCESS: 'Reads the containers of environments.',
  MANAGE_MEMBERS: 'Adds, changes and removes members.',
  AUDIT: 'Reads the audit log of the account.',
  MANAGE_CREDENTIALS: 'Creates, changes and deletes credentials.',
})

const field = fieldsOf<Membership>()

export const member = resource({
  name: 'Member',
  id: 'Member',
  description: 'A user as a member of an account.',
  fields: {
    userId: field.column('userId', text, 'Id of the user.'),
    email: field.from(
      { user: { select: { email: true } } },
      text,
      'E-mail address of the user.',
      ({ user }: { user: { email: string } }) => user.email,
    ),
    roles: field.column('roles', z.array(role.type), 'Roles of the member in the account.'),
    appEnvIds: field.from(
      { restricted: true, appEnvIds: true },
      z.array(text).nullable(),
      'Ids of the environments that the member is restricted to; null for all.',
      ({ restricted, appEnvIds }: Membership) => (restricted ? appEnvIds : null),
    ),
  },
  graphqlFields: { createdAt: field.column('createdAt', time, 'Time at which the user became a member.') },
  relations: { account: { description: 'Account that the user is a member of.' } },
})
