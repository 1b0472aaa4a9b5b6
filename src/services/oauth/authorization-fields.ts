import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Authorization, OauthClient } from '../../storage/database/generated/prisma/client.ts'

export const authorizationStatus = enumeration('AuthorizationStatus', 'Status of an authorization.', {
  ACTIVE: 'The application may act for the user.',
  REVOKED: 'The user took it back, the application gave it back, or it was misused.',
  EXPIRED: 'The time of the authorization is over, or that of what the user agreed with.',
})

/** A row with its client, and what the database says of its end. */
export type SeenAuthorization = Authorization & { client: OauthClient; hasExpired: boolean }

const field = fieldsOf<SeenAuthorization>()

function statusOf({ revokedAt, hasExpired }: SeenAuthorization): keyof typeof authorizationStatus.values {
  if (revokedAt) return 'REVOKED'
  return hasExpired ? 'EXPIRED' : 'ACTIVE'
}

export const authorization = resource({
  name: 'Authorization',
  id: 'Authorization',
  description: 'A third-party application that a user has authorised to act for them, by OAuth.',
  examples: {
    authorizationId: exampleId('oau'),
    clientId: exampleId('ocl'),
    clientName: 'Deploy from the editor',
    scopes: ['svc:read', 'svc:write:deploy'],
    status: 'ACTIVE',
    expiresAt: '2027-11-20T09:30:00.000Z',
  },
  fields: {
    authorizationId: field.column('id', text, 'Id of the authorization.', { inGraphQL: { name: 'id' } }),
    userId: field.column('userId', text, 'Id of the user whose rights the application uses.'),
    clientId: field.column('clientId', text, 'OAuth client id of the application.'),
    clientName: field.from(
      {},
      text,
      'Name that the application gave itself; it is not verified.',
      ({ client }: SeenAuthorization) => client.name,
    ),
    scopes: field.column('scopes', z.array(text), 'Scopes that the user agreed to.', { inGraphQL: { type: 'Scope' } }),
    status: field.from({}, authorizationStatus.type, 'Status of the authorization.', statusOf),
    lastUsedAt: field.column('lastUsedAt', time.nullable(), 'Time at which the application last got an access token.'),
    expiresAt: field.column('expiresAt', time, 'Time at which the user has to be asked again.'),
    createdAt: field.column('createdAt', time, 'Time at which the user agreed.'),
  },
})
