import { z } from 'zod'
import { type Caller, permit, userOf } from '../../calls/caller.ts'
import { type CommandContext, command, type Target } from '../../calls/command.ts'
import { exampleId } from '../../calls/examples.ts'
import { authorityOf, lockGiver, requireNotAbove, requireWithin } from '../../calls/giver.ts'
import { id, instant, name } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { revokeTokens, tokenWithId } from '../../calls/revoke-tokens.ts'
import { type Authority, appEnvTokenAuthority, userTokenAuthority } from '../../domain/delegation.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { SCOPES, type Scope } from '../../domain/permissions.ts'
import type { Token } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { hashOfSecret, newSecret } from '../../storage/secrets/token-secret.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import { IS_NO_SESSION, loadToken, permitOthers } from '../targets/load-token.ts'
import { createdToken, token as tokenShape } from './token-fields.ts'

/** The rights of a token of a user are that user's: `permitOthers` decides about other users. */
const OF_ITS_USER = { roles: [], appEnvIds: new Set<string>() }

const createTokenInput = z.strictObject({
  kind: z
    .enum(['USER', 'ENVIRONMENT', 'SCOPED'])
    .describe(
      'USER: all that the user may do. ENVIRONMENT: operates one environment. SCOPED: the user’s rights, narrowed.',
    ),
  name: name('token'),
  userId: id('user that the token is for; yourself when omitted').optional(),
  appEnvId: id('environment, for an ENVIRONMENT token').optional(),
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length).optional().describe('Scopes, for a SCOPED token.'),
  expiresAt: instant(
    'Time at which the token stops working: no later than the token of the call, which is also the default.',
  ).optional(),
})

type CreateTokenInput = z.output<typeof createTokenInput>

export const createToken = command({
  name: 'createToken',
  rest: { method: 'POST', path: '/token', answer: createdToken },
  about:
    'Create a token that may do no more than yours, and ends no later. Its secret is returned only in this answer.',
  example: { request: { kind: 'ENVIRONMENT', name: 'CI of the shop', appEnvId: exampleId('env') } },
  input: createTokenInput,
  // Any caller may create tokens for themselves; the check below covers kinds that need more.
  permission: 'token:own',
  // Only a token of the kind ENVIRONMENT names one.
  async target({ tx, caller }, { appEnvId: named }): Promise<Target> {
    if (named === undefined) return { type: 'token', id: null, accountId: null }
    const { accountId, appEnvId } = await lockAppEnv(tx, { appEnvId: named })
    permit(caller, 'token:manage', { accountId, appEnvId })
    return { type: 'token', id: null, accountId, appEnvId }
  },
  async execute(context, input, { accountId }) {
    checkKind(input)
    await checkExpiry(context.tx, input)
    const { tx, announce, auditDetails, created } = context
    const giver = await lockGiver(tx, context.caller)
    const expiresAt = input.expiresAt ? new Date(input.expiresAt) : giver.expiresAt
    requireWithin(authorityOf(giver, accountId), authorityGiven(input, expiresAt), 'token')
    const owner = input.kind === 'ENVIRONMENT' ? null : await ownerOf(context, giver, input)
    await requireRoom(context, owner === null ? { appEnvId: input.appEnvId ?? '' } : { userId: owner })
    const secret = newSecret(input.kind)
    const token = await tx.token.create({
      data: {
        id: newId('tok'),
        kind: input.kind,
        name: input.name,
        hash: hashOfSecret(secret),
        userId: owner,
        appEnvId: input.kind === 'ENVIRONMENT' ? (input.appEnvId ?? null) : null,
        parentId: giver.tokenId,
        scopes: input.scopes ?? [],
        expiresAt,
      },
    })
    announce({ type: 'token.created', payload: { tokenId: token.id, kind: token.kind, name: token.name } })
    auditDetails({ kind: token.kind, name: token.name, userId: owner, appEnvId: token.appEnvId, scopes: token.scopes })
    created(secret)
    return { ...tokenShape.answer.record(token), token: secret }
  },
})

export const revokeToken = command({
  name: 'revokeToken',
  rest: { method: 'DELETE', path: '/token', answer: messageAnswer },
  about:
    'Revoke a token and every token that was made with it. They stop working at once, and so do their live subscriptions.',
  example: { answer: { message: 'Token "CI of the shop" is revoked' } },
  dangerous: true,
  input: z.strictObject({ tokenId: id('token') }),
  permission: 'token:own',
  async target({ tx, caller }, { tokenId }): Promise<Target & { token: Token }> {
    const token = await loadToken(tx, tokenId)
    const accountId = token.appEnv?.accountId ?? null
    if (token.userId !== userOf(caller) || token.appEnvId) permitOthers(caller, accountId, token.appEnvId)
    return { type: 'token', id: token.id, accountId, token }
  },
  async execute({ tx, caller, announce, auditDetails }, _input, { token, accountId }) {
    requireNotAbove(authorityOf(await lockGiver(tx, caller), accountId), authorityOfToken(token))
    const others = (await revokeTokens(tx, tokenWithId(token.id))) - (token.revokedAt ? 0 : 1)
    announce({ type: 'token.revoked', payload: { tokenId: token.id, name: token.name } })
    auditDetails({ name: token.name, ...(others > 0 ? { revokedWithIt: others } : {}) })
    const more = others > 0 ? `, and so are ${others} token(s) that were made with it` : ''
    return { message: `Token "${token.name}" is revoked${more}` }
  },
})

/** Each token has a rate limit of its own to be counted, and a row that is read with each call. */
async function requireRoom(
  { tx, config }: CommandContext,
  owner: { userId: string } | { appEnvId: string },
): Promise<void> {
  const works = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: await databaseTime(tx) } }] }
  // Access tokens of OAuth have a bound of their own: the applications that a user may authorise.
  const counted = { ...owner, ...works, ...IS_NO_SESSION, authorizationId: null }
  const count = await tx.token.count({ where: counted })
  if (count < config.BERTH_TOKENS) return
  const whose = 'userId' in owner ? 'The user' : 'The environment'
  const message = `${whose} has ${count} tokens that work, and may have ${config.BERTH_TOKENS} (BERTH_TOKENS): revoke some first`
  throw conflict('TOO_MANY_TOKENS', message)
}

function checkKind({ kind, appEnvId, scopes }: CreateTokenInput): void {
  if (kind === 'ENVIRONMENT' && !appEnvId) throw invalidField('appEnvId', 'is required for an ENVIRONMENT token')
  if (kind !== 'ENVIRONMENT' && appEnvId) throw invalidField('appEnvId', 'is only for an ENVIRONMENT token')
  if (kind === 'SCOPED' && !scopes?.length) throw invalidField('scopes', 'is required for a SCOPED token')
  if (kind !== 'SCOPED' && scopes) throw invalidField('scopes', 'is only for a SCOPED token')
}

async function checkExpiry(tx: CommandContext['tx'], { expiresAt }: CreateTokenInput): Promise<void> {
  if (!expiresAt || Date.parse(expiresAt) > (await databaseTime(tx)).getTime()) return
  throw invalidField('expiresAt', 'must be in the future')
}

/** Whose rights the token carries. */
async function ownerOf({ tx }: CommandContext, giver: Caller, input: CreateTokenInput): Promise<string> {
  const owner = input.userId ?? userOf(giver)
  if (owner !== giver.userId) permitOthers(giver, null, null)
  if (!(await tx.user.findUnique({ where: { id: owner } }))) throw notFound('user', owner)
  return owner
}

function authorityGiven({ kind, appEnvId, scopes }: CreateTokenInput, expiresAt: Date | null): Authority {
  if (kind === 'ENVIRONMENT') return appEnvTokenAuthority(appEnvId ?? '', expiresAt)
  return userTokenAuthority(OF_ITS_USER, scopes ? new Set(scopes) : null, expiresAt)
}

const authorityOfToken = ({ kind, appEnvId, scopes, expiresAt }: Token): Authority =>
  kind === 'ENVIRONMENT'
    ? appEnvTokenAuthority(appEnvId ?? '', expiresAt)
    : userTokenAuthority(OF_ITS_USER, kind === 'SCOPED' ? new Set(scopes as Scope[]) : null, expiresAt)
