import { z } from 'zod'
import { pasted } from '../../calls/input.ts'
import { invalidInput } from '../../domain/errors.ts'
import { readFields } from '../../domain/field-problems.ts'
import { credential } from './credential-fields.ts'

export const credentialText = (about: string) => pasted().min(1).max(4096).describe(about)

const username = credentialText('User name.')
const password = credentialText('Password, or a token in its place.')

/** What each type of credential holds, and which parts may be shown again. */
const TYPES = {
  CONTAINER_REGISTRY: {
    schema: z.strictObject({
      registry: credentialText('Host of the registry, such as ghcr.io.').optional(),
      username,
      password,
      email: credentialText('E-mail address of the user.').optional(),
    }),
    secret: ['password'],
  },
  BASIC_AUTH: { schema: z.strictObject({ username, password }), secret: ['password'] },
  OBJECT_STORAGE: {
    schema: z.strictObject({
      endpoint: credentialText('Address of the storage.').optional(),
      region: credentialText('Its region.').optional(),
      bucket: credentialText('Bucket.').optional(),
      accessKeyId: credentialText('Access key id.'),
      secretAccessKey: credentialText('Secret access key.'),
    }),
    secret: ['secretAccessKey'],
  },
} as const

export type CredentialType = keyof typeof TYPES

const CREDENTIAL_TYPES = Object.keys(TYPES) as CredentialType[]

const fieldsOf = (type: CredentialType): string => `${type}: ${Object.keys(TYPES[type].schema.shape).join(', ')}`

export const credentialType = credential.fields.type.type

export const credentialData = z
  .record(z.string(), pasted())
  .describe(`Data of the credential, stored encrypted. ${CREDENTIAL_TYPES.map(fieldsOf).join('. ')}.`)

export const dataProblems = (type: CredentialType, data: Record<string, string>) =>
  readFields(TYPES[type].schema, data, `${type} credentials`).problems

/** Throws INVALID_INPUT that names each wrong field of `data`. */
export function checkData(type: CredentialType, data: Record<string, string>): void {
  const problems = dataProblems(type, data)
  if (problems) throw invalidInput(problems.map(({ field, message }) => ({ field: `data.${field}`, message })))
}

/** Everything except the secrets. */
export function publicDataOf(type: CredentialType, data: Record<string, string>): Record<string, string> {
  const secret: readonly string[] = TYPES[type].secret
  return Object.fromEntries(Object.entries(data).filter(([name]) => !secret.includes(name)))
}
