import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { WebhookAttempt } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<WebhookAttempt>()

export const webhookAttempt = resource({
  name: 'WebhookAttempt',
  id: 'WebhookAttempt',
  description: 'One attempt to send an event to the receiver of a webhook.',
  examples: {
    attemptedAt: EXAMPLE_TIME,
  },
  fields: {
    number: field.column('number', whole, 'Number of the attempt among those of its delivery, from 1.'),
    attemptedAt: field.column('attemptedAt', time, 'Time at which the attempt had ended.'),
    delivered: field.column('delivered', flag, 'Whether the receiver answered with a success.'),
    durationMs: field.column('durationMs', whole, 'Duration of the attempt in milliseconds.'),
    answerStatus: field.column(
      'answerStatus',
      whole.nullable(),
      'HTTP status of the answer to the attempt; null when there was none.',
    ),
    error: field.column('error', text.nullable(), 'Why the attempt failed; null after a success.'),
  },
})
