import { revokeTokens } from '../../calls/revoke-tokens.ts'
import type { Config } from '../../config/config.ts'
import { newId } from '../../domain/ids.ts'
import type { Scope } from '../../domain/permissions.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { type Authorization, Prisma, type Token } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { INSTALLATION_EVENTS } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import { hashOfSecret } from '../../storage/secrets/token-secret.ts'
import type { OauthDependencies } from './oauth-state.ts'

/** How long an access token works beside the one that took its place: for requests that are under way. */
const OVERLAP_SECONDS = 60

/** What an authorization still allows. Null once it has ended, or what it was given with has. */
export async function findAuthorization(
  { database }: OauthDependencies,
  id: string,
): Promise<(Authorization & { scopes: Scope[] }) | null> {
  const found = await database.authorization.findUnique({ where: { id }, include: { parent: true } })
  if (!found || !isAlive(found, await databaseTime(database))) return null
  const { parent: _parent, ...authorization } = found
  return authorization as Authorization & { scopes: Scope[] }
}

/** What was agreed to in a session stays when its person signs out, and goes when the session is revoked. */
const endOf = ({ kind, expiresAt }: Token): Date | null => (kind === 'SESSION' ? null : expiresAt)

function hasEnded(token: Token | null, now: Date): boolean {
  const end = token && endOf(token)
  return token !== null && (token.revokedAt !== null || (end !== null && end <= now))
}

export const isAlive = (one: Authorization & { parent: Token | null }, now: Date): boolean =>
  one.revokedAt === null && one.expiresAt > now && !hasEnded(one.parent, now)

export interface NewAccessToken {
  secret: string
  authorizationId: string
  scopes: readonly Scope[]
}

/**
 * Stores an access token: a scoped token of the user, under the token that the user had signed in with. False when the
 * authorization has ended. Those that it had before end soon.
 */
export async function issueAccessToken(
  { database, config }: OauthDependencies & { config: Config },
  { secret, authorizationId, scopes }: NewAccessToken,
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    // A revocation waits for this lock, and then sees the token.
    await tx.$queryRaw`SELECT 1 FROM oauth_authorization WHERE id = ${authorizationId} FOR NO KEY UPDATE`
    const found = await tx.authorization.findUnique({ where: { id: authorizationId }, include: { client: true } })
    if (!found) return false
    if (found.parentId) await tx.$queryRaw`SELECT 1 FROM token WHERE id = ${found.parentId} FOR SHARE`
    const parent = found.parentId ? await tx.token.findUnique({ where: { id: found.parentId } }) : null
    const now = await databaseTime(tx)
    if (!isAlive({ ...found, parent }, now)) return false
    await tx.$executeRaw`
      UPDATE token SET expires_at = least(expires_at, now() + make_interval(secs => ${OVERLAP_SECONDS}))
      WHERE authorization_id = ${authorizationId} AND revoked_at IS NULL`
    const ends = [new Date(now.getTime() + config.BERTH_OAUTH_ACCESS_TOKEN_SECONDS * 1000), found.expiresAt]
    const parentEnd = parent && endOf(parent)
    if (parentEnd) ends.push(parentEnd)
    await tx.token.create({
      data: {
        id: newId('tok'),
        kind: 'SCOPED',
        name: found.client.name,
        hash: hashOfSecret(secret),
        userId: found.userId,
        parentId: found.parentId,
        authorizationId,
        scopes: [...scopes],
        expiresAt: new Date(Math.min(...ends.map((end) => end.getTime()))),
      },
    })
    await tx.authorization.update({ where: { id: found.id }, data: { lastUsedAt: now } })
    await tx.oauthClient.update({ where: { id: found.clientId }, data: { usedAt: now } })
    return true
  })
}

/** The access token of a secret, for the client that wants to revoke it. */
export async function findAccessToken({ database }: OauthDependencies, secret: string) {
  const hash = hashOfSecret(secret)
  const token = await database.token.findUnique({ where: { hash }, include: { authorization: true } })
  if (!token?.authorization || token.revokedAt) return null
  return { ...token, authorization: token.authorization }
}

/** Ends an authorization, with all tokens and codes of it, and all that was made with them. False when it had ended. */
export async function endAuthorization(tx: Transaction, id: string): Promise<boolean> {
  const count = await tx.$executeRaw`
    UPDATE oauth_authorization SET revoked_at = now() WHERE id = ${id} AND revoked_at IS NULL`
  await revokeTokens(tx, Prisma.sql`authorization_id = ${id}`)
  await tx.oauthState.deleteMany({ where: { authorizationId: id } })
  return count > 0
}

/** The same for what a client asked for or did: it revoked a token, or a code or refresh token was used again. */
export async function endByClient(
  { database, vault }: OauthDependencies,
  id: string,
  {
    action,
    requestId,
    address,
  }: { action: 'revokeOauthToken' | 'detectOauthReuse'; requestId: string; address: string },
): Promise<void> {
  await database.$transaction(async (tx) => {
    if (!(await endAuthorization(tx, id))) return
    const { clientId, userId, scopes } = await tx.authorization.findUniqueOrThrow({ where: { id } })
    const entry = {
      ...({ action, actorType: 'SYSTEM', actorId: null, tokenId: null } as const),
      targetType: 'authorization',
      targetId: id,
      requestId,
      details: { clientId, userId, scopes, address },
    }
    await record(tx, INSTALLATION_EVENTS, [], { entry, heads: vault })
  })
}
