import { z } from 'zod'
import { type Caller, permit, userOf } from '../../calls/caller.ts'
import { command, type Target } from '../../calls/command.ts'
import { lockGiver } from '../../calls/giver.ts'
import { id } from '../../calls/input.ts'
import { conflict, forbidden } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Token } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { hashOfSecret, newSecret } from '../../storage/secrets/token-secret.ts'
import { ADMIN_TOKEN_NAME } from '../installation.ts'
import { loadToken } from '../targets/load-token.ts'
import { rotatedToken, token as tokenShape } from './token-fields.ts'

const MAX_GRACE_SECONDS = 604_800

export const rotateToken = command({
  name: 'rotateToken',
  rest: { method: 'POST', path: '/token/rotate', answer: rotatedToken },
  about:
    'Give a token a new secret. The former one works for a while longer, so that programs can switch. Only the token itself, or the token that created it, may rotate it. The new secret is returned only in this answer.',
  example: { answer: { previousUntil: '2026-11-20T10:30:00.000Z' } },
  // What still uses the former secret stops working when the grace is over.
  dangerous: true,
  input: z.strictObject({
    tokenId: id('token').optional().describe('Id of the token; that of the call when omitted.'),
    graceSeconds: z
      .int()
      .min(0, `must be 0 to ${MAX_GRACE_SECONDS}`)
      .max(MAX_GRACE_SECONDS, `must be 0 to ${MAX_GRACE_SECONDS}`)
      .optional()
      .describe(
        'How long the former secret works, in seconds: BERTH_TOKEN_GRACE_SECONDS when omitted. 0 ends it at once.',
      ),
  }),
  permission: 'token:own',
  async target({ tx, caller }, { tokenId = caller.tokenId }): Promise<Target> {
    if (tokenId === caller.tokenId) userOf(caller)
    const { id: found, appEnv, appEnvId } = await loadToken(tx, tokenId)
    if (!appEnv || !appEnvId) return { type: 'token', id: found, accountId: null }
    const { accountId } = appEnv
    permit(caller, 'token:manage', { accountId, appEnvId })
    return { type: 'token', id: found, accountId, appEnvId }
  },
  async execute({ tx, caller, config, announce, auditDetails, created }, { tokenId, graceSeconds }) {
    const giver = await lockGiver(tx, caller)
    await requirePresentSecret(tx, giver)
    const { id: rotated } = await loadToken(tx, tokenId ?? giver.tokenId)
    await requireOwnTree(tx, giver.tokenId, rotated)
    await tx.$queryRaw`SELECT 1 FROM token WHERE id = ${rotated} FOR UPDATE`
    const token = await tx.token.findUniqueOrThrow({ where: { id: rotated } })
    const now = await databaseTime(tx)
    if (token.revokedAt || (token.expiresAt && token.expiresAt <= now))
      throw conflict('TOKEN_ENDED', `Token "${token.name}" has expired or was revoked: create another`)
    requireRotatable(token)
    const grace = graceSeconds ?? config.BERTH_TOKEN_GRACE_SECONDS
    const previousUntil = new Date(now.getTime() + grace * 1000)
    const secret = newSecret(token.kind)
    const data = { hash: hashOfSecret(secret), previousHash: token.hash, previousUntil }
    const renewed = await tx.token.update({ where: { id: rotated }, data })
    announce({ type: 'token.rotated', payload: { tokenId: rotated, name: token.name } })
    auditDetails({ name: token.name, previousUntil })
    created(secret)
    return { ...tokenShape.answer.record(renewed), token: secret, previousUntil: previousUntil.toISOString() }
  },
})

/** A former secret must not be enough to take the token away from the holder of the present one. */
async function requirePresentSecret(tx: Transaction, { tokenId, expiresAt }: Caller): Promise<void> {
  const own = await tx.token.findUniqueOrThrow({ where: { id: tokenId } })
  const end = own.kind === 'SESSION' ? null : own.expiresAt
  if (expiresAt?.getTime() === end?.getTime()) return
  throw forbidden('FORMER_SECRET', 'This is the secret that the token had before it was rotated: use the present one')
}

function requireRotatable({ name, parentId, authorizationId }: Token): void {
  if (authorizationId) throw conflict('TOKEN_NOT_ROTATED', 'An access token of OAuth is renewed by its refresh token')
  // At the next start, the file would bring the former secret back.
  if (name !== ADMIN_TOKEN_NAME || parentId !== null) return
  const message = 'This token comes from BERTH_ADMIN_TOKEN or the file admin-token: change it there, and restart'
  throw conflict('TOKEN_NOT_ROTATED', message)
}

/**
 * A secret is shown only to callers who could have got it before: otherwise a stolen token could be turned into another,
 * which does not end when the stolen one is revoked.
 */
async function requireOwnTree(tx: Transaction, giverId: string, tokenId: string): Promise<void> {
  const [found] = await tx.$queryRaw<{ isOwn: boolean }[]>`
    WITH RECURSIVE made AS (
      SELECT id, parent_id FROM token WHERE id = ${tokenId}
      UNION SELECT t.id, t.parent_id FROM token t JOIN made ON t.id = made.parent_id
    )
    SELECT EXISTS (SELECT 1 FROM made WHERE id = ${giverId}) AS "isOwn"`
  if (found?.isOwn) return
  throw forbidden('TOKEN_NOT_OWN', 'Only the token itself, or one that it was made with, may rotate it: create another')
}
