import { z } from 'zod'
import { userOf } from '../../calls/caller.ts'
import { command } from '../../calls/command.ts'
import { authorityOf, lockGiver, requireNotAbove } from '../../calls/giver.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { userTokenAuthority } from '../../domain/delegation.ts'
import { notFound } from '../../domain/errors.ts'
import type { Scope } from '../../domain/permissions.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { permitOthers } from '../targets/load-token.ts'
import { endAuthorization } from './authorizations.ts'

const OF_ITS_USER = { roles: [], appEnvIds: new Set<string>() }

export const revokeAuthorization = command({
  name: 'revokeAuthorization',
  rest: { method: 'DELETE', path: '/user/authorization', answer: messageAnswer },
  about:
    'Take back what an application was authorised to do by OAuth. Its tokens stop working at once, and so do their live subscriptions.',
  example: { answer: { message: '"Deploy from the editor" is no longer authorised' } },
  dangerous: true,
  input: z.strictObject({ authorizationId: id('authorization') }),
  permission: 'token:own',
  async target({ tx, caller }, { authorizationId }) {
    const authorization = await lockAuthorization(tx, authorizationId)
    if (authorization.userId !== userOf(caller)) permitOthers(caller, null, null)
    return { type: 'authorization' as const, id: authorization.id, accountId: null, authorization }
  },
  async execute({ tx, caller, auditDetails }, _input, { authorization }) {
    const { id: authorizationId, scopes, client } = authorization
    const given = userTokenAuthority(OF_ITS_USER, new Set(scopes as Scope[]), authorization.expiresAt)
    requireNotAbove(authorityOf(await lockGiver(tx, caller), null), given)
    await endAuthorization(tx, authorizationId)
    auditDetails({ clientId: client.id, name: client.name, userId: authorization.userId })
    return { message: `"${client.name}" is no longer authorised` }
  },
})

async function lockAuthorization(tx: Transaction, authorizationId: string) {
  await tx.$queryRaw`SELECT 1 FROM oauth_authorization WHERE id = ${authorizationId} FOR UPDATE`
  const authorization = await tx.authorization.findUnique({
    where: { id: authorizationId },
    include: { client: { select: { id: true, name: true } } },
  })
  if (!authorization) throw notFound('authorization', authorizationId)
  return authorization
}
