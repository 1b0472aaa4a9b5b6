import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, VERSION, whole } from '../../calls/field.ts'
import { answer, resource } from '../../calls/resource.ts'
import type { Webhook } from '../../storage/database/generated/prisma/client.ts'
import { eventType } from '../event/event-fields.ts'

export const webhookKind = enumeration('WebhookKind', 'How a webhook notifies its receiver.', {
  WEBHOOK: 'A signed POST of each event, by Standard Webhooks.',
  SLACK: 'A message to a chat that takes what Slack takes.',
  DISCORD: 'A message to a chat that takes what Discord takes.',
  EMAIL: 'An e-mail to each recipient.',
})

export const webhookDisabledReason = enumeration('WebhookDisabledReason', 'Why Berth switched a webhook off.', {
  FAILING: 'Only failures for days.',
  GONE: 'The receiver answered 410 Gone.',
})

const field = fieldsOf<Webhook>()

export const webhook = resource({
  name: 'Webhook',
  id: 'Webhook',
  description: 'A receiver of an account’s events: a program, a chat or people. Its secrets are never shown.',
  examples: {
    name: 'Orders of the shop',
    webhookId: exampleId('hook'),
    eventTypes: ['operation.succeeded', 'operation.failed'],
    disabledReason: null,
    failingSince: null,
  },
  fields: {
    webhookId: field.column('id', text, 'Id of the webhook.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account whose events the webhook sends.'),
    kind: field.column('kind', webhookKind.type, 'How the webhook notifies its receiver.'),
    name: field.column('name', text, 'Name of the webhook.'),
    address: field.column(
      'address',
      text,
      'Receiver of the deliveries: the URL without its query, of a chat the host alone, of e-mail the recipients.',
    ),
    eventTypes: field.json(
      'eventTypes',
      z.array(eventType.type),
      'Types of events that are sent; none means every type that the kind of webhook can send.',
    ),
    enabled: field.column('isEnabled', flag, 'Whether the webhook sends anything.'),
    disabledReason: field.json(
      'disabledReason',
      webhookDisabledReason.type.nullable(),
      'Why Berth switched the webhook off; null while it is enabled, or when a user disabled it.',
    ),
    failingSince: field.column(
      'failingSince',
      time.nullable(),
      'Time since which every attempt has failed; null after a success.',
    ),
    formerSecretUntil: field.column(
      'formerSecretUntil',
      time.nullable(),
      'Time until which deliveries are signed with the former secret, too; null while there is none.',
    ),
    createdAt: field.column('createdAt', time, 'Time at which the webhook was created.'),
    updatedAt: field.column('updatedAt', time, 'Time at which the webhook was last changed.'),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})

/** What only the answers to createWebhook and rotateWebhookSecret show. */
export const webhookSecret = fieldsOf<{ secret: string | null }>().given(
  'secret',
  text.nullable(),
  'Secret that deliveries are signed with, `whsec_…`. No other answer shows it. Null for chats and e-mail.',
  { inGraphQL: { isResolvedThere: true } },
)

export const createdWebhook = answer({ ...webhook.fields, secret: webhookSecret })
