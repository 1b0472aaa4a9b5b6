import { z } from 'zod'
import { userOf } from '../../calls/caller.ts'
import { command, type Target } from '../../calls/command.ts'
import { flag, id } from '../../calls/input.ts'
import { revokeTokens, tokenWithId } from '../../calls/revoke-tokens.ts'
import { notFound } from '../../domain/errors.ts'
import { endSessions } from './begin-session.ts'

/** Signing out, here or elsewhere. What was made in the session stays. */
export const endSession = command({
  name: 'endSession',
  about: 'End one of your sessions, and with it its live subscriptions.',
  input: z.strictObject({
    sessionId: id('session'),
    revokeMade: flag('Whether tokens and open invitations that were made in the session are revoked, too.').default(
      false,
    ),
  }),
  permission: 'token:own',
  async target({ tx, caller }, { sessionId }): Promise<Target> {
    const where = { id: sessionId, kind: 'SESSION' as const, userId: userOf(caller) }
    if (!(await tx.token.findFirst({ where, select: { id: true } }))) throw notFound('session', sessionId)
    return { type: 'session', id: sessionId, accountId: null }
  },
  async execute({ tx, caller, announce, auditDetails }, { sessionId, revokeMade }) {
    await endSessions(tx, { userId: userOf(caller), sessionId })
    if (revokeMade) auditDetails({ revokedWithIt: (await revokeTokens(tx, tokenWithId(sessionId))) - 1 })
    announce({ type: 'token.revoked', payload: { tokenId: sessionId, name: 'Session' } })
    return { sessionId, message: 'The session has ended' }
  },
})
