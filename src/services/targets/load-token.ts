import { type Caller, permit } from '../../calls/caller.ts'
import { notFound } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'

/** Sessions are kept as tokens, and are none to clients: they have a list of their own. */
export const IS_NO_SESSION = { kind: { not: 'SESSION' } } as const

/** An environment's tokens are deleted with it. */
export async function loadToken(tx: Transaction, tokenId: string) {
  const token = await tx.token.findUnique({
    where: { id: tokenId, ...IS_NO_SESSION, OR: [{ appEnvId: null }, { appEnv: { deletedAt: null } }] },
    include: { appEnv: { select: { accountId: true } } },
  })
  if (!token) throw notFound('token', tokenId)
  return token
}

/** For tokens that are not the caller's own: those of an environment, or of another user. */
export function permitOthers(caller: Caller, accountId: string | null, appEnvId: string | null): void {
  permit(caller, accountId ? 'token:manage' : 'installation:manage', { accountId, ...(appEnvId ? { appEnvId } : {}) })
}
