import { z } from 'zod'
import { EXAMPLE_HOST, exampleId } from '../../calls/examples.ts'
import { flag, text, whole } from '../../calls/field.ts'
import { entitlement } from '../account/account-fields.ts'
import { invitationStatus } from '../account/invitation-fields.ts'
import { role } from '../account/member-fields.ts'
import { health, replicas, sleepDepth } from '../app-env/app-env-status-fields.ts'
import { credentialType } from '../credential/credential-fields.ts'
import { eventType } from '../event/event-fields.ts'
import { gitHookProvider } from '../git-hook/git-hook-fields.ts'
import { hostStatus } from '../host/host-fields.ts'
import { jobRunStatus, jobRunTrigger } from '../job-run/job-run-fields.ts'
import { operationKind } from '../operation/operation-fields.ts'
import { componentState, installationStatus } from '../solution/solution-installation-fields.ts'
import { appEnvStatus } from '../targets/app-env-reference.ts'
import { tokenKind } from '../token/token-fields.ts'
import { webhookDisabledReason, webhookKind } from './webhook-fields.ts'

type EventType = keyof typeof eventType.values

/** What an event says, and what the documentation shows of it. */
interface Payload<Shape extends z.ZodRawShape = z.ZodRawShape> {
  type: z.ZodObject<Shape>
  example: Readonly<Record<string, unknown>>
}

const payload = <Shape extends z.ZodRawShape>(shape: Shape, example: z.output<z.ZodObject<Shape>>): Payload<Shape> => ({
  type: z.object(shape),
  example,
})

const said = (description: string) => text.describe(description)
const counted = (description: string) => whole.describe(description)

const CHANGED = { changed: z.array(text).describe('Names of the changed settings.') }
const changed = (...names: string[]) => payload(CHANGED, { changed: names })

const contentId = text.nullable().describe('Id of the version that the operation is about; null where there is none.')
const kind = operationKind.type.describe('Kind of the operation.')
const ofOperation = payload({ kind, contentId }, { kind: 'DEPLOY_IMAGE', contentId: exampleId('con') })
const failureCode = said('Code for why the operation, or its attempt, failed.')
const failureWords = said('Why the operation, or its attempt, failed.')

const jobRunId = said('Id of the job run.')
const runStatus = jobRunStatus.type.describe('Progress of the job run.')
const runReason = text.nullable().describe('Code for why the job run did not succeed; null where there is none.')
const trigger = jobRunTrigger.type.describe('Trigger of the job run.')
const exitCode = whole.nullable().describe('Exit code of the command; null where there is none.')
const ended = (status: z.output<typeof jobRunStatus.type>, reason: string | null, code: number | null) =>
  payload(
    { jobRunId, status: runStatus, reason: runReason, exitCode },
    { jobRunId: exampleId('run'), status, reason, exitCode: code },
  )

const ofWebhook = {
  webhookId: said('Id of the webhook.'),
  kind: webhookKind.type.describe('How the webhook notifies its receiver.'),
  name: said('Name of the webhook.'),
}
const WEBHOOK = { webhookId: exampleId('hook'), kind: 'WEBHOOK', name: 'Orders of the shop' } as const

const ofToken = { tokenId: said('Id of the token.'), name: said('Name of the token.') }
const TOKEN = { tokenId: exampleId('tok'), name: 'CI of the shop' }

const deleted = z.literal(true).optional().describe('True where the event is the deletion.')
const secretRotated = z.literal(true).optional().describe('True where the event is a new secret.')

/**
 * The payload of each type of event, as webhooks and subscriptions send it. A new type does not compile until it is listed;
 * tests compare every event that they record.
 */
export const EVENT_PAYLOADS: Readonly<Record<EventType, Payload>> = {
  'account.created': payload(
    { accountId: said('Id of the account.'), name: said('Name of the account.'), slug: said('Slug of the account.') },
    { accountId: exampleId('acc'), name: 'Default', slug: 'default' },
  ),
  'account.updated': payload(
    {
      accountId: said('Id of the account.'),
      name: text.optional().describe('Name of the account, where that was set.'),
      allowFunctions: flag.optional().describe('Whether the account may have functions, where that was set.'),
      allowAutoScaling: flag.optional().describe('Whether the account may have autoscaling, where that was set.'),
      plan: text.optional().describe('Code of the plan of the account, where that was set.'),
      entitlements: z.array(entitlement.type).optional().describe('Entitlements of the account, where they were set.'),
    },
    { accountId: exampleId('acc'), plan: 'standard' },
  ),
  'account.deleted': payload(
    { accountId: said('Id of the account.'), name: said('Name of the account.') },
    { accountId: exampleId('acc'), name: 'Default' },
  ),
  'app.created': payload(
    { name: said('Name of the app.'), dockerPreset: said('Preset of the app.') },
    { name: 'Shop', dockerPreset: 'CUSTOM' },
  ),
  'app.updated': changed('port'),
  'app.deleted': payload(
    { name: said('Name of the app.'), environments: counted('Number of environments that the app had.') },
    { name: 'Shop', environments: 2 },
  ),
  'appEnv.created': payload(
    {
      name: said('Name of the environment.'),
      slug: said('Slug of the environment.'),
      cliEnvName: said('CLI name of the environment.'),
      deploymentName: said('Name of the environment on the platform.'),
      status: appEnvStatus.type.describe('Lifecycle status of the environment.'),
    },
    {
      name: 'production',
      slug: 'production',
      cliEnvName: 'default-shop-production',
      deploymentName: 'default-shop-production',
      status: 'PENDING',
    },
  ),
  'appEnv.updated': changed('containers', 'variables'),
  'appEnv.deleted': payload({ name: said('Name of the environment.') }, { name: 'production' }),
  'appEnv.statusChanged': payload(
    {
      status: appEnvStatus.type.describe('Lifecycle status of the environment.'),
      previousStatus: appEnvStatus.type.describe('Lifecycle status of the environment before the event.'),
    },
    { status: 'RUNNING', previousStatus: 'UPDATING' },
  ),
  'appEnv.healthChanged': payload(
    {
      health: health.type.describe('Observed state of the environment.'),
      previousHealth: health.type.describe('Observed state of the environment before the event.'),
      replicas: replicas.answer.type.optional().describe('Desired and observed containers, where they were observed.'),
      reason: text.nullable().optional().describe('Why the environment is not healthy, where that was observed.'),
    },
    {
      health: 'DEGRADED',
      previousHealth: 'HEALTHY',
      replicas: { desired: 2, running: 2, ready: 1 },
      reason: 'Container 2: the health check answered 503',
    },
  ),
  'appEnv.containersRestarted': payload(
    {
      containers: z.array(whole).describe('Numbers of the containers that were restarted.'),
      reason: said('Why the containers were restarted.'),
    },
    { containers: [2], reason: 'container 2, the liveness probe answered 503' },
  ),
  'appEnv.woken': payload(
    {
      depth: sleepDepth.type.describe('How deep the environment slept.'),
      durationMs: counted('Duration of the last wake in milliseconds.'),
      held: counted('Number of requests that waited for the last wake.'),
      failure: text.nullable().describe('Why the last wake failed; null where it succeeded.'),
      wakes: counted('Number of wakes since the last such event.'),
      failed: counted('Number of those wakes that failed.'),
      slowestMs: counted('Duration of the slowest of those wakes in milliseconds.'),
    },
    { depth: 'FROZEN', durationMs: 42, held: 3, failure: null, wakes: 1, failed: 0, slowestMs: 42 },
  ),
  'host.changed': payload(
    {
      hostId: said('Id of the host.'),
      host: said('Host name.'),
      status: hostStatus.type.describe('Whether the host name leads to the environment.'),
      what: z
        .enum(['added', 'validating', 'removed', 'lost'])
        .optional()
        .describe('What was done with the host; left out where its DNS records were checked.'),
      reason: text.nullable().optional().describe('Why the host is not valid, if it is not.'),
    },
    { hostId: exampleId('host'), host: EXAMPLE_HOST, status: 'VALID', reason: null },
  ),
  'volume.filling': payload(
    {
      volumeId: said('Id of the volume.'),
      percent: counted('Threshold that was reached, in percent.'),
      usedMb: counted('Data in the volume in MB.'),
      diskMb: counted('Size of the volume in MB.'),
    },
    { volumeId: exampleId('vol'), percent: 80, usedMb: 820, diskMb: 1024 },
  ),
  'volume.deleted': payload(
    {
      volumeId: said('Id of the volume.'),
      appEnvId: said('Id of the environment that the volume was of.'),
      cliEnvName: said('CLI name of the environment that the volume was of.'),
    },
    { volumeId: exampleId('vol'), appEnvId: exampleId('env'), cliEnvName: 'default-shop-production' },
  ),
  'operation.queued': ofOperation,
  'operation.started': ofOperation,
  'operation.progressed': payload(
    {
      step: said('Name of the step.'),
      state: z.enum(['started', 'running', 'finished']).describe('Progress of the step.'),
      detail: text.nullable().describe('Details of the step, for people; null where there are none.'),
    },
    { step: 'pull', state: 'finished', detail: 'nginx:alpine' },
  ),
  'operation.retrying': payload(
    { kind, reason: failureCode, message: failureWords, attempt: counted('Number of the attempt that failed.') },
    { kind: 'DEPLOY_IMAGE', reason: 'REGISTRY_UNREACHABLE', message: 'The registry does not answer', attempt: 1 },
  ),
  'operation.succeeded': ofOperation,
  'operation.failed': payload(
    {
      kind,
      contentId,
      reason: failureCode,
      message: failureWords,
      isDeadLetter: flag.describe('Whether all attempts are used up: the operation can be retried by hand.'),
    },
    {
      kind: 'DEPLOY_IMAGE',
      contentId: exampleId('con'),
      reason: 'IMAGE_NOT_FOUND',
      message: 'Pulling nginx:alpne failed: not found in the registry',
      isDeadLetter: false,
    },
  ),
  'operation.cancelled': payload(
    { kind, reason: said('Code for why the operation was cancelled.'), contentId },
    { kind: 'BUILD', reason: 'SUPERSEDED', contentId: exampleId('con') },
  ),
  'jobRun.queued': payload(
    { jobRunId, status: runStatus, trigger, reason: runReason },
    { jobRunId: exampleId('run'), status: 'QUEUED', trigger: 'SCHEDULE', reason: null },
  ),
  'jobRun.started': payload(
    { jobRunId, status: runStatus, trigger: trigger.optional() },
    { jobRunId: exampleId('run'), status: 'RUNNING' },
  ),
  'jobRun.retrying': payload(
    { jobRunId, status: runStatus, reason: runReason, attempt: counted('Number of the attempt that failed.') },
    { jobRunId: exampleId('run'), status: 'RUNNING', reason: 'FAILED', attempt: 1 },
  ),
  'jobRun.succeeded': ended('SUCCEEDED', null, 0),
  'jobRun.failed': ended('FAILED', 'FAILED', 1),
  'jobRun.timedOut': ended('TIMED_OUT', 'TIMED_OUT', 143),
  'jobRun.cancelled': payload(
    { jobRunId, status: runStatus, reason: runReason, trigger: trigger.optional(), exitCode: exitCode.optional() },
    { jobRunId: exampleId('run'), status: 'CANCELLED', reason: 'REPLACED' },
  ),
  'jobSchedule.changed': payload(
    {
      cron: text.optional().describe('Cron expression of the schedule; left out where it was deleted.'),
      timeZone: text.optional().describe('Time zone of the schedule; left out where it was deleted.'),
      enabled: flag.describe('Whether the schedule starts runs.'),
      revision: whole.nullable().describe('Number that grows with every change of the schedule; null once deleted.'),
    },
    { cron: '0 3 * * *', timeZone: 'Europe/Berlin', enabled: true, revision: 2 },
  ),
  'installation.changed': payload(
    {
      installationId: said('Id of the installation.'),
      status: z.enum([...installationStatus.type.options, 'REMOVED']).describe('Progress of the installation.'),
      components: z.record(z.string(), componentState.type).describe('Progress of each component, by its key.'),
    },
    { installationId: exampleId('inst'), status: 'INSTALLING', components: { db: 'READY', app: 'DEPLOYING' } },
  ),
  'member.changed': payload(
    {
      userId: said('Id of the user.'),
      roles: z.array(role.type).describe('Roles of the member; none where the user is no longer one.'),
    },
    { userId: exampleId('usr'), roles: ['TECHNICAL'] },
  ),
  'invitation.changed': payload(
    {
      invitationId: said('Id of the invitation.'),
      status: invitationStatus.type.describe('Status of the invitation.'),
    },
    { invitationId: exampleId('inv'), status: 'ACCEPTED' },
  ),
  'token.created': payload(
    { ...ofToken, kind: tokenKind.type.describe('What the token may do.') },
    { ...TOKEN, kind: 'USER' },
  ),
  'token.revoked': payload(ofToken, TOKEN),
  'token.rotated': payload(ofToken, TOKEN),
  'credential.changed': payload(
    {
      credentialId: said('Id of the credential.'),
      type: credentialType.type.describe('Type of the credential.'),
      name: said('Name of the credential.'),
      deleted,
    },
    { credentialId: exampleId('cred'), type: 'CONTAINER_REGISTRY', name: 'Images of the shop' },
  ),
  'budget.changed': payload(
    {
      amount: text.nullable().describe('Budget of a month; null where it was removed.'),
      currency: text.optional().describe('Currency of the budget.'),
    },
    { amount: '50.00', currency: 'EUR' },
  ),
  'budget.reached': payload(
    {
      percent: counted('Share of the budget that is spent, in percent.'),
      month: said('Month of the budget.'),
      spent: said('Amount that is spent.'),
      budget: said('Budget of the month.'),
      currency: said('Currency of the amounts.'),
    },
    { percent: 80, month: '2026-11', spent: '40.12', budget: '50.00', currency: 'EUR' },
  ),
  'webhook.changed': payload(
    {
      ...ofWebhook,
      enabled: flag.describe('Whether the webhook sends anything.'),
      eventTypes: z.array(eventType.type).optional().describe('Types of events that are sent, where they were set.'),
      receiverReplaced: z.literal(true).optional().describe('True where the receiver was replaced.'),
      secretRotated,
      deleted,
      expiredEvents: whole.optional().describe('Number of events that had expired before the webhook could send them.'),
    },
    { ...WEBHOOK, enabled: true, eventTypes: ['operation.failed'] },
  ),
  'webhook.disabled': payload(
    { ...ofWebhook, reason: webhookDisabledReason.type.describe('Why Berth switched the webhook off.') },
    { ...WEBHOOK, reason: 'FAILING' },
  ),
  'webhook.tested': payload(
    { ...ofWebhook, deliveryId: said('Id of the delivery of the test.') },
    { ...WEBHOOK, deliveryId: exampleId('dlv') },
  ),
  'gitHook.changed': payload(
    {
      gitHookId: said('Id of the git hook.'),
      provider: gitHookProvider.type.describe('Git host that the hook receives pushes from.'),
      name: said('Name of the git hook.'),
      statusApiUrl: text
        .nullable()
        .optional()
        .describe('Address that states of commits are sent to, where it was set.'),
      secretRotated,
      deleted,
    },
    { gitHookId: exampleId('ghook'), provider: 'GITHUB', name: 'Pushes to the shop' },
  ),
}
