import type { RecordOf } from '../../../calls/resource.ts'
import { redeliverWebhookDelivery } from '../../../services/webhook/redeliver.ts'
import { createWebhook, rotateWebhookSecret, updateWebhook } from '../../../services/webhook/webhook-commands.ts'
import { webhookDelivery } from '../../../services/webhook/webhook-delivery-fields.ts'
import { webhook, webhookSecret } from '../../../services/webhook/webhook-fields.ts'
import { getWebhook, type webhookRecord } from '../../../services/webhook/webhook-queries.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { described, recordType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

const Webhook = recordType<RecordOf<typeof webhookRecord>>(webhook, [Node])
const WebhookDelivery = recordType<RecordOf<typeof webhookDelivery.answer>>(webhookDelivery, [Node])

/** What was created or changed; a dry run has created nothing that could be read. */
function webhookById<Result extends { webhookId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.field({
    type: Webhook,
    nullable: true,
    description: 'Webhook that was created or changed.',
    resolve: (answer, _args, context) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun ? null : context.services.find(getWebhook, context, { webhookId: result.webhookId })
    },
  })
}

function secretField<Result extends { secret: string | null }>(t: PayloadBuilder<Result>) {
  return t.string({
    nullable: true,
    ...described('Webhook', 'secret', webhookSecret.description),
    resolve: (answer) => {
      const { result, dryRun } = answer as Answer<Result>
      return dryRun ? null : result.secret
    },
  })
}

commandMutation(createWebhook, (t) => ({ webhook: webhookById(t, true), secret: secretField(t) }))
commandMutation(updateWebhook, (t) => ({ webhook: webhookById(t, false) }))
commandMutation(rotateWebhookSecret, (t) => ({ webhook: webhookById(t, false), secret: secretField(t) }))
commandMutation(redeliverWebhookDelivery, (t) => ({
  delivery: t.field({
    type: WebhookDelivery,
    nullable: true,
    description: 'Delivery that is sent again.',
    resolve: ({ result }) => result,
  }),
}))
