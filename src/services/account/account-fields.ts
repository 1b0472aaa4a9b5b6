import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, shownAs, text, time, VERSION, whole } from '../../calls/field.ts'
import { message } from '../../calls/outcome.ts'
import { answer, pick, resource } from '../../calls/resource.ts'
import type { Account } from '../../storage/database/generated/prisma/client.ts'
import { credential } from '../credential/credential-fields.ts'

export const entitlement = enumeration('Entitlement', 'Entitlement of an account in addition to its plan.', {
  SANDBOX: 'Solutions that need a sandbox.',
})

const field = fieldsOf<Account>()

export const account = resource({
  name: 'Account',
  id: 'Account',
  description: 'An account owns apps and has members.',
  examples: {
    accountId: exampleId('acc'),
    name: 'Default',
    slug: 'default',
    isVerified: true,
    allowAutoScaling: true,
    allowFunctions: true,
    isCurrent: true,
    entitlements: ['SANDBOX'],
  },
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

/** With the login of a registry, an account comes with a credential. */
export const createdAccount = {
  ...pick(account.fields, 'accountId'),
  credentialId: shownAs(credential.fields.credentialId, text.optional(), (id) => id),
}

export const createdAccountAnswer = answer(createdAccount)

export const updatedAccountAnswer = answer({
  ...pick(account.fields, 'accountId', 'allowFunctions', 'allowAutoScaling'),
  plan: fieldsOf<{ plan: string }>().given('plan', text, account.fields.plan.description),
  entitlements: account.fields.entitlements,
})

export const renamedAccountAnswer = answer(pick(account.fields, 'accountId', 'name', 'slug'))

export const currentAccountAnswer = answer({ ...pick(account.fields, 'accountId'), message })
