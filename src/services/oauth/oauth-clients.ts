import { createHash } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { conflict } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { INSTALLATION_EVENTS } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import type { OauthDependencies } from './oauth-state.ts'

/** What a client registered. Its secret is stored as a hash, and found as one. */
export interface ClientMetadata {
  client_id: string
  client_name?: string | undefined
  client_secret?: string | undefined
  redirect_uris?: string[] | undefined
}

export const hashOfClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const UNNAMED = 'An application without a name'

/** Stores a client that registered itself, and makes room for it. */
export async function saveClient(
  { database, vault, config }: OauthDependencies & { config: Config },
  metadata: ClientMetadata,
  { requestId, address }: { requestId: string; address: string },
): Promise<void> {
  const { client_id: id, client_secret: secret } = metadata
  const name = metadata.client_name ?? UNNAMED
  const kept = { ...metadata, ...(secret ? { client_secret: hashOfClientSecret(secret) } : {}) }
  await database.$transaction(async (tx) => {
    await makeRoom(tx, config.BERTH_OAUTH_CLIENTS)
    await tx.oauthClient.create({ data: { id, name, metadata: kept as object } })
    const details = { name, redirectUris: metadata.redirect_uris ?? [], address }
    const entry = {
      ...({ action: 'registerOauthClient', actorType: 'SYSTEM', actorId: null, tokenId: null } as const),
      targetType: 'oauthClient',
      targetId: id,
      requestId,
      details,
    }
    await record(tx, INSTALLATION_EVENTS, [], { entry, heads: vault })
  })
}

/** A flood of registrations removes only clients of floods, and none that a user has authorised. */
async function makeRoom(tx: Transaction, most: number): Promise<void> {
  // One at a time: two that count at once would both find room.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('berth oauth clients'))`
  const over = (await tx.oauthClient.count()) - most + 1
  if (over <= 0) return
  const removed = await tx.$executeRaw`
    DELETE FROM oauth_client WHERE id IN (
      SELECT c.id FROM oauth_client c
      WHERE NOT EXISTS (SELECT 1 FROM oauth_authorization a WHERE a.client_id = c.id)
      ORDER BY c.used_at LIMIT ${over})`
  if (removed < over)
    throw conflict(
      'TOO_MANY_CLIENTS',
      `There are ${most} OAuth clients that users have authorised (BERTH_OAUTH_CLIENTS)`,
    )
}

export async function findClient(
  { database }: OauthDependencies,
  id: string,
): Promise<(ClientMetadata & Record<string, unknown>) | null> {
  const client = await database.oauthClient.findUnique({ where: { id } })
  return client && (client.metadata as unknown as ClientMetadata & Record<string, unknown>)
}
