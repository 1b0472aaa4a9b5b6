import type { Caller } from '../../calls/caller.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Admission } from './admission.ts'
import { addressOf, type ServerContext } from './context.ts'
import { type ReadHeader, requireOwnRequest, sessionIn } from './session-cookie.ts'

export const headersOf =
  (c: ServerContext): ReadHeader =>
  (name) =>
    c.req.header(name)

/**
 * The user who is signed in at the browser; null when there is none. Counts the request. A link from another site may
 * lead to a page, so pages that only show something need no more; a request that changes something has to come from a
 * page of Berth.
 */
export async function findSignedIn(c: ServerContext, { admission }: { admission: Admission }): Promise<Caller | null> {
  const header = headersOf(c)
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  if (!isRead) requireOwnRequest(c.req.method, header)
  const secret = sessionIn(header)
  const { caller, refusal } = await admission.admit({ address: addressOf(c), authorization: secret })
  if (caller?.kind === 'SESSION') {
    c.set('tokenId', caller.tokenId)
    return caller
  }
  if (caller) return null
  if (refusal instanceof DomainError && refusal.code === 'UNAUTHENTICATED') return null
  throw refusal
}

/** The same; throws UNAUTHENTICATED when no user is signed in. */
export async function getSignedIn(c: ServerContext, parts: { admission: Admission }): Promise<Caller> {
  const caller = await findSignedIn(c, parts)
  if (!caller) throw new DomainError('UNAUTHENTICATED', undefined, 'You are not signed in, or no longer: sign in again')
  return caller
}
