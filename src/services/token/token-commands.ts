import { z } from 'zod'
import type { Token } from '../../database/generated/prisma/client.ts'
import { databaseTime } from '../../database/time.ts'
import { forbidden, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { SCOPES } from '../../domain/permissions.ts'
import { token as tokenShape } from '../../resources/token.ts'
import { hashOfSecret, newSecret } from '../../secrets/token-secret.ts'
import { permit, userOf } from '../kernel/caller.ts'
import { type CommandContext, command, type Target } from '../kernel/command.ts'
import { id, instant, name } from '../kernel/input.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import { loadToken, permitOthers } from '../targets/load-token.ts'

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
  expiresAt: instant('Time at which the token stops working.').optional(),
})

type CreateTokenInput = z.output<typeof createTokenInput>

export const createToken = command({
  name: 'createToken',
  about: 'Create a token. Its secret is in this answer and nowhere else.',
  input: createTokenInput,
  // Any caller may create tokens for themselves; the check below covers kinds that need more.
  permission: 'token:own',
  async target(context, input): Promise<Target> {
    checkKind(input)
    await checkExpiry(context.tx, input)
    if (input.kind !== 'ENVIRONMENT') return { type: 'token', id: null, accountId: null }
    const { accountId, appEnvId } = await lockAppEnv(context.tx, { appEnvId: input.appEnvId })
    permit(context.caller, 'token:manage', { accountId, appEnvId })
    return { type: 'token', id: null, accountId, appEnvId }
  },
  async execute(context, input) {
    const { tx, announce, auditDetails, created } = context
    const owner = input.kind === 'ENVIRONMENT' ? null : await ownerOf(context, input)
    const secret = newSecret(input.kind)
    const token = await tx.token.create({
      data: {
        id: newId('tok'),
        kind: input.kind,
        name: input.name,
        hash: hashOfSecret(secret),
        userId: owner,
        appEnvId: input.kind === 'ENVIRONMENT' ? (input.appEnvId ?? null) : null,
        scopes: input.scopes ?? [],
        expiresAt: input.expiresAt ? new Date(input.expiresAt) : null,
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
  about: 'Revoke a token. It stops working at once, and so do its live subscriptions.',
  dangerous: true,
  input: z.strictObject({ tokenId: id('token') }),
  permission: 'token:own',
  async target({ tx, caller }, { tokenId }): Promise<Target & { token: Token }> {
    const token = await loadToken(tx, tokenId)
    const accountId = token.appEnv?.accountId ?? null
    if (token.userId !== userOf(caller) || token.appEnvId) permitOthers(caller, accountId, token.appEnvId)
    return { type: 'token', id: token.id, accountId, token }
  },
  async execute({ tx, announce, auditDetails }, _input, { token }) {
    await tx.token.update({ where: { id: token.id }, data: { revokedAt: token.revokedAt ?? (await databaseTime(tx)) } })
    announce({ type: 'token.revoked', payload: { tokenId: token.id, name: token.name } })
    auditDetails({ name: token.name })
    return { message: `Token "${token.name}" is revoked` }
  },
})

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

/** Whose rights the token carries. A scoped caller can pass on only the scopes that it has (contract §1). */
async function ownerOf({ tx, caller }: CommandContext, input: CreateTokenInput): Promise<string> {
  const owner = input.userId ?? userOf(caller)
  if (owner !== caller.userId) permitOthers(caller, null, null)
  if (caller.scopes && (input.kind === 'USER' || input.scopes?.some((scope) => !caller.scopes?.has(scope)))) {
    throw forbidden('SCOPE_BEYOND_OWN', 'A scoped token can only make tokens with scopes that it has itself')
  }
  if (!(await tx.user.findUnique({ where: { id: owner } }))) throw notFound('user', owner)
  return owner
}
