import type { LiveEvent } from '../graphql/live.ts'

export type EventType = LiveEvent['type']

/** Every type of event, in words; in the groups in which they are chosen. */
const GROUPS = {
  Operations: {
    OPERATION_QUEUED: 'Operation requested',
    OPERATION_STARTED: 'Operation started',
    OPERATION_PROGRESSED: 'Step of an operation',
    OPERATION_RETRYING: 'Operation tries again',
    OPERATION_SUCCEEDED: 'Operation succeeded',
    OPERATION_FAILED: 'Operation failed',
    OPERATION_CANCELLED: 'Operation cancelled',
  },
  'Apps and environments': {
    APP_CREATED: 'App created',
    APP_UPDATED: 'App changed',
    APP_DELETED: 'App deleted',
    APP_ENV_CREATED: 'Environment created',
    APP_ENV_UPDATED: 'Environment changed',
    APP_ENV_DELETED: 'Environment deleted',
    APP_ENV_STATUS_CHANGED: 'Status changed',
    APP_ENV_HEALTH_CHANGED: 'Health changed',
    APP_ENV_CONTAINERS_RESTARTED: 'Dead containers restarted',
    APP_ENV_WOKEN: 'Woken by a request',
    HOST_CHANGED: 'Domain changed',
    VOLUME_FILLING: 'Volume is filling',
    VOLUME_DELETED: 'Volume deleted',
    INSTALLATION_CHANGED: 'Solution changed',
  },
  'Job runs': {
    JOB_RUN_QUEUED: 'Job run requested',
    JOB_RUN_STARTED: 'Job run started',
    JOB_RUN_RETRYING: 'Job run tries again',
    JOB_RUN_SUCCEEDED: 'Job run succeeded',
    JOB_RUN_FAILED: 'Job run failed',
    JOB_RUN_TIMED_OUT: 'Job run timed out',
    JOB_RUN_CANCELLED: 'Job run cancelled',
    JOB_SCHEDULE_CHANGED: 'Job schedule changed',
  },
  Account: {
    ACCOUNT_CREATED: 'Account created',
    ACCOUNT_UPDATED: 'Account changed',
    ACCOUNT_DELETED: 'Account deleted',
    MEMBER_CHANGED: 'Member changed',
    INVITATION_CHANGED: 'Invitation changed',
    TOKEN_CREATED: 'Token created',
    TOKEN_ROTATED: 'Token rotated',
    TOKEN_REVOKED: 'Token revoked',
    CREDENTIAL_CHANGED: 'Credential changed',
    BUDGET_CHANGED: 'Budget changed',
    BUDGET_REACHED: 'Budget reached',
  },
  Hooks: {
    GIT_HOOK_CHANGED: 'Git hook changed',
    WEBHOOK_CHANGED: 'Webhook changed',
    WEBHOOK_DISABLED: 'Webhook switched off',
    WEBHOOK_TESTED: 'Webhook tested',
  },
} as const

type Listed = { [Group in keyof typeof GROUPS]: keyof (typeof GROUPS)[Group] }[keyof typeof GROUPS]
// A type of event that is in no group does not compile.
const WORDS: Readonly<Record<EventType & Listed, string>> & Readonly<Record<Exclude<EventType, Listed>, never>> =
  Object.assign({}, ...Object.values(GROUPS))

export const eventText = (type: EventType): string => WORDS[type] ?? type

/** For choosing some: each group with its types. */
export const EVENT_GROUPS = Object.entries(GROUPS).map(([label, types]) => ({
  label,
  types: Object.entries(types).map(([value, words]) => ({ value: value as EventType, label: words as string })),
}))
