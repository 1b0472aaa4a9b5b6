import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/client.ts'
import type { ScalingChange } from '../../domain/autoscaling.ts'
import { newId } from '../../domain/ids.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { NewAuditEntry } from '../../events/audit-hash.ts'
import type { NewEvent } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Caller } from '../kernel/caller.ts'
import type { CommandContext } from '../kernel/command.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import { beginOperation } from './begin-operation.ts'

/** The actor of operations that nobody requested. */
export const AUTOSCALING = 'autoscaling'

/** The caller of operations that nobody requested. */
export const nobody = (name: string): Caller => ({
  ...{
    tokenId: name,
    kind: 'USER',
    userId: null,
    appEnvId: null,
    accountId: null,
    scopes: new Set(),
    expiresAt: null,
  },
  ...{ isInstallationAdmin: false, currentAccountId: null, memberships: new Map() },
})

/**
 * Changes the number of containers because of the load, as a member would, with the reason in the operation's first
 * step, in its event and in the audit log. False when the environment has changed since the decision.
 */
export async function autoscaleAppEnv(
  { database, config, vault }: { database: Database; config: Config; vault: Vault },
  { appEnvId, from, to, why }: ScalingChange,
): Promise<boolean> {
  const requestId = newId('op')
  return database.$transaction(async (tx) => {
    const { appEnv } = await lockAppEnv(tx, { appEnvId })
    const open = await tx.operation.count({ where: { appEnvId, status: { in: [...OPEN_STATUSES] } } })
    if (open > 0 || appEnv.status !== 'RUNNING' || appEnv.replicasDesired !== from) return false
    // A person has set another number and not applied it yet: it must not be lost.
    if (appEnv.containers !== from) return false
    const events: NewEvent[] = []
    const announce = (event: NewEvent) => void events.push(event)
    const context: CommandContext = {
      ...{ tx, caller: nobody(AUTOSCALING), requestId, config, vault, announce, prepared: null },
      ...{ auditDetails() {}, created() {}, async permitOperation() {} },
    }
    await tx.appEnv.update({ where: { id: appEnvId }, data: { containers: to } })
    const operation = await beginOperation(context, appEnv, { kind: 'APPLY_CHANGES' })
    const detail = `from ${from} to ${to}: ${why}`
    const at = operation.createdAt.toISOString()
    const steps = [{ name: 'decide', startedAt: at, finishedAt: at, detail }]
    await tx.operation.update({ where: { id: operation.id }, data: { steps } })
    const about = { appId: appEnv.appId, appEnvId, operationId: operation.id }
    events.push({ type: 'operation.progressed', ...about, payload: { step: 'decide', state: 'finished', detail } })
    const entry: NewAuditEntry = {
      ...{ action: 'autoScale', actorType: 'SYSTEM', actorId: null, tokenId: null },
      ...{ targetType: 'appEnv', targetId: appEnvId, requestId },
      details: { operationId: operation.id, containers: { from, to }, why },
    }
    await record(tx, appEnv.accountId, events, { entry, heads: vault })
    return true
  })
}
