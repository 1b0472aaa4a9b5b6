import { z } from 'zod'
import type { Account } from '../database/generated/prisma/client.ts'
import { enumeration } from './enumeration.ts'
import { fieldsOf, flag, text, time, VERSION, whole } from './field.ts'
import { resource } from './resource.ts'

export const entitlement = enumeration('Entitlement', 'Entitlement of an account in addition to its plan.', {
  SANDBOX: 'Solutions that need a sandbox.',
})

const field = fieldsOf<Account>()

export const account = resource({
  name: 'Account',
  id: 'Account',
  description: 'An account owns apps and has members.',
  fields: {
    accountId: field.column('id', text, 'Id of the account.', { inGraphQL: { name: 'id' } }),
    name: field.column('name', text, 'Name of the account.'),
    slug: field.column('slug', text, 'Slug of the account: its part of host names and CLI names.'),
    isVerified: field.column('isVerified', flag, 'Whether the account is verified.'),
    allowAutoScaling: field.column('allowAutoScaling', flag, 'Whether apps of the account may scale automatically.'),
    allowFunctions: field.column(
      'allowFunctions',
      flag,
      'Whether the account may have functions, if its plan includes them.',
    ),
    isCurrent: field.from(
      { id: true },
      flag,
      'Whether the account is your current one.',
      ({ id }: Pick<Account, 'id'>, { caller }) => caller.currentAccountId === id,
    ),
    plan: field.column('planCode', text, 'Code of the account’s plan.'),
    entitlements: field.column('entitlements', z.array(text), 'Entitlements of the account in addition to its plan.', {
      inGraphQL: { type: 'Entitlement' },
    }),
  },
  graphqlFields: {
    version: field.column('version', whole, VERSION),
    createdAt: field.column('createdAt', time, 'Time at which the account was created.'),
    updatedAt: field.column('updatedAt', time, 'Time at which the account was last changed.'),
  },
  relations: {
    apps: { description: 'Apps of the account, newest first.' },
    appEnvs: { description: 'Environments of all apps of the account, newest first.' },
    members: { description: 'Members of the account, by user id.' },
  },
})
