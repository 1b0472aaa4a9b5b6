import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { EXAMPLE_TIME, exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, VERSION, whole } from '../../calls/field.ts'
import { answer, pick, resource } from '../../calls/resource.ts'
import type { Credential } from '../../storage/database/generated/prisma/client.ts'

export const credentialType = enumeration(
  'CredentialType',
  'Type of a credential: the service that it gives access to.',
  {
    CONTAINER_REGISTRY: 'A registry that images are pulled from.',
    BASIC_AUTH: 'A site behind user name and password.',
    OBJECT_STORAGE: 'A bucket of an object store.',
  },
)

const field = fieldsOf<Credential>()

/** Something that would miss a credential. */
export interface CredentialUsage {
  kind: keyof typeof credentialUse.values
  appId: string | null
  appEnvId: string | null
  name: string
  count: number
}

export const credentialUse = enumeration('CredentialUse', 'Use of a credential.', {
  IMAGE_PULL: 'An app pulls its image with it.',
  BUILD_PULL: 'Builds of an app pull their base images with it.',
  VERSION: 'The version that runs in an environment was pulled with it.',
  DEFAULT:
    'An environment runs an image of the registry that it is the default of, and its app names no credential for that registry.',
  BACKUP_SCHEDULE: 'A backup schedule stores backups with it.',
  BACKUP: 'Backups are stored where it leads.',
})

const used = fieldsOf<CredentialUsage>()

export const credentialUsage = resource({
  name: 'CredentialUsage',
  id: 'CredentialUsage',
  description: 'Something that uses a credential, and would miss it.',
  examples: {
    count: 0,
  },
  fields: {
    kind: used.given('kind', credentialUse.type, 'Use of the credential.'),
    appId: used.given('appId', text.nullable(), 'Id of the app that uses the credential, where one does.'),
    appEnvId: used.given(
      'appEnvId',
      text.nullable(),
      'Id of the environment that uses the credential, where one does.',
    ),
    name: used.given('name', text, 'Name of the app, or CLI name of the environment.'),
    count: used.given('count', whole, 'Number of backups; 1 for anything else.'),
  },
})

export const credential = resource({
  name: 'Credential',
  id: 'Credential',
  description: 'A login that apps refer to, such as that of a container registry. Its secrets are never shown.',
  examples: {
    credentialId: exampleId('cred'),
    name: 'Registry of the shop',
    data: { registry: 'registry.example.com', username: 'shop' },
    checkedAt: EXAMPLE_TIME,
  },
  fields: {
    credentialId: field.column('id', text, 'Id of the credential.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account that owns the credential.'),
    type: field.column('type', credentialType.type, 'Type of the credential: the service that it gives access to.'),
    name: field.column('name', text, 'Name of the credential.'),
    data: field.json('publicData', z.record(z.string(), z.string()), 'Data of the credential, without its secrets.'),
    isDefault: field.from(
      { defaultFor: true },
      flag,
      'Whether images of the registry are pulled with the credential where an app names none.',
      ({ defaultFor }: Pick<Credential, 'defaultFor'>) => defaultFor !== null,
    ),
    checkedAt: field.column(
      'checkedAt',
      time.nullable(),
      'Time at which the registry last accepted the login; null where it did not, or could not be asked.',
    ),
    createdAt: field.column('createdAt', time, 'Time at which the credential was created.'),
    updatedAt: field.column('updatedAt', time, 'Time at which the credential was last changed.'),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})

const outcome = fieldsOf<{ message: string; warning: string | undefined; accepted: boolean | null }>()

/** An additional field of the answers to createCredential and updateCredential. */
export const savedUntried = outcome.given(
  'warning',
  text.optional(),
  'Why the login was saved without having been tried; left out where it was tried, or could not be.',
)

export const createdCredentialAnswer = answer({
  ...pick(credential.fields, 'credentialId', 'checkedAt'),
  warning: savedUntried,
})

export const changedCredentialAnswer = answer({ ...credential.fields, warning: savedUntried })

/** The answer to testCredential. */
export const testedCredential = {
  ...pick(credential.fields, 'credentialId', 'checkedAt'),
  accepted: outcome.given(
    'accepted',
    flag.nullable(),
    'Whether the registry accepts the login; null where it gave no answer.',
  ),
  message: outcome.given('message', text, 'Result of the registry’s check of the login, as text.'),
}

export const testedCredentialAnswer = answer(testedCredential)
