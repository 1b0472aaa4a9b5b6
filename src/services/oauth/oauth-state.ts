import type { Database } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { hashOfSecret } from '../../storage/secrets/token-secret.ts'
import type { Vault } from '../../storage/secrets/vault.ts'

export interface OauthDependencies {
  database: Database
  vault: Vault
}

/** What the library wants to be remembered. `id` is a secret; so is `lookup`, which finds the same. */
export interface NewState {
  kind: string
  id: string
  lookup?: string | undefined
  authorizationId?: string | undefined
  payload: object
  expiresInSeconds: number
}

export interface FoundState {
  payload: Record<string, unknown>
  consumedAt: Date | null
}

/**
 * Refresh tokens live for long, and nothing finds them but themselves: their secret is not kept. What is found in
 * another way holds its own secret, and is sealed.
 */
const isSealed = (kind: string) => kind !== 'RefreshToken'

export async function saveState(
  { database, vault }: OauthDependencies,
  { kind, id, lookup, authorizationId, payload, expiresInSeconds }: NewState,
): Promise<void> {
  const hash = hashOfSecret(id)
  const kept = JSON.stringify(
    isSealed(kind) ? { sealed: vault.sealState(kind, hash, JSON.stringify(payload)) } : { ...payload, jti: undefined },
  )
  const lookupHash = lookup === undefined ? null : hashOfSecret(lookup)
  await database.$executeRaw`
    INSERT INTO oauth_state (kind, hash, lookup_hash, authorization_id, payload, expires_at)
    VALUES (${kind}, ${hash}, ${lookupHash}, ${authorizationId ?? null}, ${kept}::jsonb,
      now() + make_interval(secs => ${expiresInSeconds}))
    ON CONFLICT (kind, hash) DO UPDATE SET lookup_hash = excluded.lookup_hash,
      authorization_id = excluded.authorization_id, payload = excluded.payload, expires_at = excluded.expires_at`
}

export async function findState(
  dependencies: OauthDependencies,
  kind: string,
  by: { id: string } | { lookup: string },
): Promise<FoundState | null> {
  const where = 'id' in by ? { hash: hashOfSecret(by.id) } : { lookupHash: hashOfSecret(by.lookup) }
  const rows = await dependencies.database.oauthState.findMany({ where: { kind, ...where }, take: 1 })
  const [row] = rows
  const payload = row && openPayload(dependencies.vault, row)
  if (!row || !payload) return null
  return { payload: 'id' in by ? { ...payload, jti: by.id } : payload, consumedAt: row.consumedAt }
}

interface Row {
  kind: string
  hash: string
  payload: Prisma.JsonValue
}

/** Null where the master key was rotated since: such a question to a user is asked again. */
function openPayload(vault: Vault, { kind, hash, payload }: Row): Record<string, unknown> | null {
  const kept = payload as Record<string, unknown>
  if (!isSealed(kind)) return kept
  try {
    return JSON.parse(vault.openState(kind, hash, String(kept.sealed))) as Record<string, unknown>
  } catch {
    return null
  }
}

/** False when it was used before: of two requests at the same time, one gets true. */
export async function consumeState({ database }: OauthDependencies, kind: string, id: string): Promise<boolean> {
  const count = await database.$executeRaw`
    UPDATE oauth_state SET consumed_at = now()
    WHERE kind = ${kind} AND hash = ${hashOfSecret(id)} AND consumed_at IS NULL`
  return count > 0
}

export async function destroyState({ database }: OauthDependencies, kind: string, id: string): Promise<void> {
  await database.oauthState.deleteMany({ where: { kind, hash: hashOfSecret(id) } })
}
