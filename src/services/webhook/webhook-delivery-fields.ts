import { enumeration } from '../../calls/enumeration.ts'
import { EXAMPLE_TIME, exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, shownAs, text, time, whole } from '../../calls/field.ts'
import { answer, pick, resource } from '../../calls/resource.ts'
import type { WebhookAttempt, WebhookDelivery } from '../../storage/database/generated/prisma/client.ts'
import { eventType } from '../event/event-fields.ts'

const attemptField = fieldsOf<WebhookAttempt>()

export const webhookAttempt = resource({
  name: 'WebhookAttempt',
  id: 'WebhookAttempt',
  description: 'One attempt to send an event to the receiver of a webhook.',
  examples: {
    attemptedAt: EXAMPLE_TIME,
  },
  fields: {
    number: attemptField.column('number', whole, 'Number of the attempt among those of its delivery, from 1.'),
    attemptedAt: attemptField.column('attemptedAt', time, 'Time at which the attempt had ended.'),
    delivered: attemptField.column('delivered', flag, 'Whether the receiver answered with a success.'),
    durationMs: attemptField.column('durationMs', whole, 'Duration of the attempt in milliseconds.'),
    answerStatus: attemptField.column(
      'answerStatus',
      whole.nullable(),
      'HTTP status of the answer to the attempt; null when there was none.',
    ),
    error: attemptField.column('error', text.nullable(), 'Why the attempt failed; null after a success.'),
  },
})

export const webhookDeliveryStatus = enumeration('WebhookDeliveryStatus', 'Status of a delivery.', {
  PENDING: 'The event is to be sent, or to be sent again.',
  DELIVERED: 'The receiver has answered with a success.',
  FAILED: 'The delivery was given up. The event can be sent again by hand.',
})

const field = fieldsOf<WebhookDelivery>()

export const webhookDelivery = resource({
  name: 'WebhookDelivery',
  id: 'WebhookDelivery',
  description: 'Delivery of one event to the receiver of a webhook, with its last attempt.',
  examples: {
    status: 'DELIVERED',
    deliveryId: exampleId('dlv'),
    eventCursor: '4711',
    eventType: 'operation.succeeded',
    lastAttemptAt: EXAMPLE_TIME,
    nextAttemptAt: null,
    answer: 'ok',
    endedAt: EXAMPLE_TIME,
  },
  fields: {
    deliveryId: field.column('id', text, 'Id of the delivery, sent as the header `webhook-id` with every attempt.', {
      inGraphQL: { name: 'id' },
    }),
    webhookId: field.column('webhookId', text, 'Id of the webhook that sends the event.'),
    eventCursor: field.from(
      { sequence: true },
      text,
      'Cursor of the event that is sent: its position among the account’s events.',
      ({ sequence }: Pick<WebhookDelivery, 'sequence'>) => String(sequence),
    ),
    eventType: field.json('eventType', eventType.type, 'Type of the event that is sent.'),
    appEnvId: field.column('appEnvId', text.nullable(), 'Id of the environment that the event is about.'),
    status: field.column('status', webhookDeliveryStatus.type, 'Status of the delivery.'),
    attempts: field.column('attempts', whole, 'Number of attempts that were made.'),
    lastAttemptAt: field.column('lastAttemptAt', time.nullable(), 'Time of the last attempt.'),
    nextAttemptAt: field.from(
      { status: true, dueAt: true },
      time.nullable(),
      'Earliest time of the next attempt, which also waits for earlier events of the environment; null when there is none.',
      ({ status, dueAt }: Pick<WebhookDelivery, 'status' | 'dueAt'>) =>
        status === 'PENDING' ? new Date(dueAt).toISOString() : null,
    ),
    durationMs: field.column('durationMs', whole.nullable(), 'Duration of the last attempt in milliseconds.'),
    answerStatus: field.column(
      'answerStatus',
      whole.nullable(),
      'HTTP status of the last answer; null when there was none.',
    ),
    answer: field.column('answer', text.nullable(), 'Beginning of what the receiver answered last.'),
    error: field.column('error', text.nullable(), 'Why the last attempt failed; null after a success.'),
    endedAt: field.column('endedAt', time.nullable(), 'Time at which the event was delivered or given up.'),
    createdAt: field.column('createdAt', time, 'Time at which the event was taken up.'),
  },
})

/** The answer to testWebhook. */
export const testedWebhookAnswer = answer({
  webhookId: webhookDelivery.fields.webhookId,
  deliveryId: shownAs(webhookDelivery.fields.deliveryId, text, (id) => id),
  ...pick(webhookDelivery.fields, 'status', 'durationMs', 'answerStatus', 'error'),
})
