/** Event sequence of what belongs to no account: users, and accounts themselves. */
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
  | 'appEnv.woken'
  | 'host.changed'
  | 'volume.filling'
  | 'volume.deleted'
  | 'operation.queued'
  | 'operation.started'
  | 'operation.progressed'
  | 'operation.retrying'
  | 'operation.succeeded'
  | 'operation.failed'
  | 'operation.cancelled'
  | 'jobRun.queued'
  | 'jobRun.started'
  | 'jobRun.retrying'
  | 'jobRun.succeeded'
  | 'jobRun.failed'
  | 'jobRun.timedOut'
  | 'jobRun.cancelled'
  | 'jobSchedule.changed'
  | 'installation.changed'
  | 'member.changed'
  | 'invitation.changed'
  | 'token.created'
  | 'token.revoked'
  | 'token.rotated'
  | 'credential.changed'
  | 'budget.changed'
  | 'budget.reached'
  | 'webhook.changed'
  | 'webhook.disabled'
  | 'webhook.tested'
  | 'gitHook.changed'

/** An event to be recorded. Payloads are small and hold no secrets. */
export interface NewEvent {
  type: EventType
  appId?: string
  appEnvId?: string
  operationId?: string
  payload: Record<string, unknown>
}

/**
 * A recorded event. `sequence` has no gaps within its event sequence, follows the order of commits, and is the cursor.
 */
export interface RecordedEvent extends NewEvent {
  eventSequenceId: string
  sequence: bigint
  createdAt: Date
}
