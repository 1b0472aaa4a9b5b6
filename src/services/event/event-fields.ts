import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, json, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

/** `appEnv.statusChanged` → `APP_ENV_STATUS_CHANGED`. */
const nameOf = (type: string) => type.replaceAll('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase()

export const eventType = enumeration(
  'EventType',
  'Kind of event.',
  {
    'account.created': 'An account was created.',
    'account.updated': 'An account was changed.',
    'account.deleted': 'An account was deleted.',
    'app.created': 'An app was created.',
    'app.updated': 'An app was changed.',
    'app.deleted': 'An app was deleted.',
    'appEnv.created': 'An environment was created.',
    'appEnv.updated': 'An environment was changed.',
    'appEnv.deleted': 'An environment was deleted.',
    'appEnv.statusChanged': 'The lifecycle status of an environment changed.',
    'appEnv.healthChanged': 'The health of an environment changed.',
    'appEnv.containersRestarted': 'Containers of an environment were found dead by a probe and restarted.',
    'appEnv.woken':
      'Requests woke an environment that slept, or it could not be woken: depth and duration of the last wake, and how many there were since the last such event. At most one a minute.',
    'host.changed':
      'A custom host was added, validated, found invalid, removed, or lost to another account before DNS proved it; or an automatic one came or went with the health check of a version.',
    'volume.filling': 'The data of a volume has reached 80 or 95 percent of its size, or 100.',
    'volume.deleted': 'A volume was deleted with its data.',
    'operation.queued': 'An operation was requested.',
    'operation.started': 'A worker started an operation.',
    'operation.progressed': 'A step of an operation began or ended.',
    'operation.retrying': 'An attempt of an operation failed and another will follow.',
    'operation.succeeded': 'An operation did what was asked.',
    'operation.failed': 'An operation failed for good.',
    'operation.cancelled': 'An operation was cancelled.',
    'jobRun.queued': 'A job run was requested.',
    'jobRun.started': 'A job run left the queue.',
    'jobRun.retrying': 'An attempt of a job run failed and another will follow.',
    'jobRun.succeeded': 'A job run ended with exit code 0.',
    'jobRun.failed': 'A job run failed for good.',
    'jobRun.timedOut': 'A job run took longer than it may.',
    'jobRun.cancelled': 'A job run was cancelled.',
    'jobSchedule.changed': 'The schedule of job runs was set, changed or deleted.',
    'installation.changed': 'The installation of a solution was begun, went on, ended or was removed.',
    'member.changed': 'A member was added, changed or removed.',
    'invitation.changed': 'An invitation was created, accepted or revoked.',
    'token.created': 'A token was created.',
    'token.revoked': 'A token was revoked.',
    'token.rotated': 'A token was given a new secret.',
    'credential.changed': 'A credential was created, changed or removed.',
    'budget.changed': 'The budget of an account was set or removed.',
    'budget.reached': 'An account has spent 50, 80 or 100 percent of its budget of the month. Each once a month.',
    'webhook.changed': 'A webhook was created, changed or removed, or events had expired before it could send them.',
    'webhook.disabled': 'A webhook was switched off, because its receiver failed for days or is gone.',
    'webhook.tested': 'A test event was requested; only the webhook that it names sends it.',
    'gitHook.changed': 'A git hook was created, changed or removed.',
  },
  nameOf,
)

interface EventRow {
  cursor: string
  type: keyof typeof eventType.values
  appId: string | null
  appEnvId: string | null
  operationId: string | null
  payload: unknown
  createdAt: Date | string
}

const field = fieldsOf<EventRow>()

export const event = resource({
  name: 'Event',
  id: 'AccountEvent',
  description: 'Something that happened, as the account’s event sequence records it.',
  examples: {
    cursor: '421',
    type: 'operation.succeeded',
    appId: exampleId('app'),
    appEnvId: exampleId('env'),
    operationId: exampleId('op'),
    payload: { kind: 'DEPLOY_IMAGE', status: 'SUCCEEDED' },
    createdAt: '2026-11-20T09:45:00.000Z',
  },
  fields: {
    cursor: field.given(
      'cursor',
      text,
      'Position of the event in the sequence. Send it as `after` to continue after the event.',
    ),
    type: field.given('type', eventType.type, 'Kind of event.'),
    appId: field.given('appId', text.nullable(), 'Id of the app that the event is about.'),
    appEnvId: field.given('appEnvId', text.nullable(), 'Id of the environment that the event is about.'),
    operationId: field.given('operationId', text.nullable(), 'Id of the operation that the event is about.'),
    payload: field.given('payload', json, 'Details of the event, without secrets.', { inGraphQL: { nullable: false } }),
    createdAt: field.given('createdAt', time, 'Time at which the event happened.'),
  },
})
