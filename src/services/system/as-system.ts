import type { Caller } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { noteChanges } from '../../storage/events/audit-changes.ts'
import type { NewAuditEntry } from '../../storage/events/audit-hash.ts'
import type { NewEvent } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'

export interface SystemTools {
  database: Database
  config: Config
  vault: Vault
}

/** What was done, for the audit log. */
type Done = Pick<NewAuditEntry, 'action' | 'targetType' | 'targetId' | 'details'> &
  Partial<Pick<NewAuditEntry, 'actorId'>>
type Decide<Locked = LoadedAppEnv> = (context: CommandContext, locked: Locked) => Promise<Done | null>

/**
 * Does what no caller asked for, in one transaction under the lock of the environment, and records it under the name of
 * the actor. False when nothing was done: the environment is gone, or `decide` found nothing to do.
 */
export const asSystem = (tools: SystemTools, appEnvId: string, actor: string, decide: Decide): Promise<boolean> =>
  asSystemOn(tools, { actor, lock: (tx) => lockedIfThere(tx, appEnvId) }, decide)

interface On<Locked> {
  actor: string
  /** Null when there is nothing to lock any more. */
  lock(tx: Transaction): Promise<Locked | null>
}

/** The same under another lock. */
export async function asSystemOn<Locked extends { accountId: string }>(
  { database, config, vault }: SystemTools,
  { actor, lock }: On<Locked>,
  decide: Decide<Locked>,
): Promise<boolean> {
  const requestId = newId('op')
  return database.$transaction(async (tx) => {
    const locked = await lock(tx)
    if (!locked) return false
    await noteChanges(tx)
    const events: NewEvent[] = []
    const done = await decide(
      {
        tx,
        caller: systemCaller(actor),
        requestId,
        config,
        vault,
        prepared: null,
        auditDetails() {},
        created() {},
        async permitOperation() {},
        announce: (event) => void events.push(event),
      },
      locked,
    )
    if (!done) return false
    const entry = {
      actorType: 'SYSTEM' as const,
      actorId: null,
      tokenId: null,
      requestId,
      ...done,
    }
    await record(tx, locked.accountId, events, { entry, heads: vault })
    return true
  })
}

/** Null when it was deleted since it was found. */
async function lockedIfThere(tx: Transaction, appEnvId: string): Promise<LoadedAppEnv | null> {
  try {
    return (await lockAppEnv(tx, { appEnvId })).appEnv
  } catch (error) {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** The caller of what Berth itself does. */
const systemCaller = (name: string): Caller => ({
  tokenId: name,
  kind: 'USER',
  userId: null,
  appEnvId: null,
  accountId: null,
  scopes: new Set(),
  expiresAt: null,
  isInstallationAdmin: false,
  currentAccountId: null,
  memberships: new Map(),
})
