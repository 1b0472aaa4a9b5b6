import { z } from 'zod'
import type { Credential } from '../database/generated/prisma/client.ts'
import { enumeration } from './enumeration.ts'
import { fieldsOf, text, time, VERSION, whole } from './field.ts'
import { resource } from './resource.ts'

export const credentialType = enumeration('CredentialType', 'What a credential gives access to.', {
  CONTAINER_REGISTRY: 'A registry that images are pulled from.',
  BASIC_AUTH: 'A site behind user name and password.',
  OBJECT_STORAGE: 'A bucket of an object store.',
})

const field = fieldsOf<Credential>()

export const credential = resource({
  name: 'Credential',
  id: 'Credential',
  description: 'A login that apps refer to, such as that of a container registry. Never its secrets.',
  fields: {
    credentialId: field.column('id', text, 'Id of the credential.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account that owns the credential.'),
    type: field.column('type', credentialType.type, 'What the credential gives access to.'),
    name: field.column('name', text, 'Name of the credential.'),
    data: field.json('publicData', z.record(z.string(), z.string()), 'Data of the credential, without its secrets.'),
    createdAt: field.column('createdAt', time, 'Time at which the credential was created.'),
    updatedAt: field.column('updatedAt', time, 'Time at which the credential was last changed.'),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})
