import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { type Field, fieldsOf, text, time } from '../../calls/field.ts'
import { answer, resource } from '../../calls/resource.ts'
import type { SCOPES } from '../../domain/permissions.ts'
import type { Token, User } from '../../storage/database/generated/prisma/client.ts'
import { appEnvFields } from '../app-env/app-env-fields.ts'
import { userFields } from '../user/user-fields.ts'

export const tokenKind = enumeration('TokenKind', 'What a token may do.', {
  USER: 'May do all that its user may.',
  ENVIRONMENT: 'Operates one environment.',
  SCOPED: 'May do what its user may, narrowed to its scopes.',
})

export const scope = enumeration<(typeof SCOPES)[number]>('Scope', 'Scope of a token.', {
  'svc:read': 'Allows to read everything but secrets.',
  'svc:read:secrets': 'Allows to read secrets.',
  'svc:write:config': 'Allows to change settings.',
  'svc:write:deploy': 'Allows to operate environments.',
  'svc:admin': 'Allows to administer accounts.',
})

const field = fieldsOf<Token>()

const tokenId = field.column('id', text, 'Id of the token.', { inGraphQL: { name: 'id' } })
/** A session may do what a token of its user may. */
const kind = field.from({ kind: true }, tokenKind.type, 'Kind of token.', ({ kind: stored }: Pick<Token, 'kind'>) =>
  stored === 'SESSION' ? 'USER' : stored,
)
const scopes = field.column('scopes', z.array(text), 'Scopes of a SCOPED token.', { inGraphQL: { type: 'Scope' } })
const expiresAt = field.column('expiresAt', time.nullable(), 'Time at which the token stops working; null for never.')

export const token = resource({
  name: 'Token',
  id: 'Token',
  description: 'Rights and lifetime of a token. Its secret is never shown.',
  examples: {
    tokenId: exampleId('tok'),
    revokedAt: null,
  },
  fields: {
    tokenId,
    kind,
    name: field.column('name', text, 'Name of the token.'),
    userId: field.column('userId', text.nullable(), 'Id of the user whose rights the token carries.'),
    appEnvId: field.column('appEnvId', text.nullable(), 'Id of the environment that the token operates.'),
    scopes,
    expiresAt,
    lastUsedAt: field.column('lastUsedAt', time.nullable(), 'Time of the token’s last use, to the minute.'),
    revokedAt: field.column('revokedAt', time.nullable(), 'Time at which the token was revoked.'),
    createdAt: field.column('createdAt', time, 'Time at which the token was created.'),
  },
})

/** What only the answer to createToken shows. */
export const tokenSecret = fieldsOf<{ token: string }>().given(
  'token',
  text,
  'Secret to send in the Authorization header. No other answer shows it.',
  { inGraphQL: { name: 'secret', isResolvedThere: true } },
)

export const createdToken = answer({ ...token.fields, token: tokenSecret })

export const previousUntil = fieldsOf<{ previousUntil: string }>().given(
  'previousUntil',
  text,
  'Time at which the former secret stops working.',
  { inGraphQL: { nullable: true } },
)

/** What only the answer to rotateToken shows. */
export const rotatedToken = answer({ ...token.fields, token: tokenSecret, previousUntil })

const hidden = field.from({}, z.null(), 'Always null: only createToken shows a secret.', () => null, { only: 'rest' })

interface OwnToken {
  user: User
  token: Token
}

const own = fieldsOf<OwnToken>()

const ofToken = <Type extends z.ZodType>({ type, description, value, inGraphQL }: Field<Token, Type>, isId = false) =>
  own.from({}, type, description, (row: OwnToken, context) => value(row.token, context), isId ? {} : { inGraphQL })

const ofUser = <Type extends z.ZodType>({ type, description, value }: Field<User, Type>) =>
  own.from({}, type, description, (row: OwnToken, context) => value(row.user, context))

/** What clients read at sign-in. */
export const userToken = resource({
  name: 'UserToken',
  id: 'UserToken',
  description: 'The user behind a token, and the rights of the token. Its secret is never shown.',
  fields: {
    token: hidden,
    tokenId: ofToken(tokenId, true),
    kind: ofToken(kind),
    scopes: ofToken(scopes),
    expiresAt: ofToken(expiresAt),
    userId: ofUser(userFields.userId),
    username: ofUser(userFields.username),
    email: ofUser(userFields.email),
    isInstallationAdmin: ofUser(userFields.isInstallationAdmin),
    currentAccountId: ofUser(userFields.currentAccountId),
  },
})

export const appEnvToken = resource({
  name: 'AppEnvToken',
  id: 'AppEnvToken',
  description: 'An environment that a client is about to operate, and its newest token. Never a secret.',
  fields: {
    token: hidden,
    tokenId: fieldsOf<{ tokenId: string | null }>().given(
      'tokenId',
      text.nullable(),
      'Id of the newest token that still works; null when the environment has none.',
    ),
    appEnvId: { ...appEnvFields.appEnvId, inGraphQL: {} },
    cliEnvName: appEnvFields.cliEnvName,
    name: appEnvFields.name,
    allowUserCliToken: appEnvFields.allowUserCliToken,
  },
})
