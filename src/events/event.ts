/** The ledger of what belongs to no account: users, and accounts themselves. */
export const INSTALLATION_EVENTS = 'installation'

export type EventType =
  | 'account.created'
  | 'account.updated'
  | 'account.deleted'
  | 'app.created'
  | 'app.updated'
  | 'app.deleted'
  | 'appEnv.created'
  | 'appEnv.updated'
  | 'appEnv.deleted'
  | 'appEnv.statusChanged'
  | 'appEnv.healthChanged'
  | 'appEnv.containersRestarted'
  | 'host.changed'
  | 'volume.deleted'
  | 'operation.queued'
  | 'operation.started'
  | 'operation.progressed'
  | 'operation.retrying'
  | 'operation.succeeded'
  | 'operation.failed'
  | 'operation.cancelled'
  | 'member.changed'
  | 'token.created'
  | 'token.revoked'
  | 'credential.changed'

/** Something that happened, as told to whoever writes it down. Payloads are small and hold no secrets. */
export interface NewEvent {
  type: EventType
  appId?: string
  appEnvId?: string
  operationId?: string
  payload: Record<string, unknown>
}

/** An event as kept: `sequence` is gap-free per ledger, in the order of commit, and is the cursor. */
export interface RecordedEvent extends NewEvent {
  eventSequenceId: string
  sequence: bigint
  createdAt: Date
}
