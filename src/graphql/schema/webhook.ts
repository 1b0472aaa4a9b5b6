import { testedWebhook } from '../../resources/outcome.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { webhook, webhookSecret } from '../../resources/webhook.ts'
import { webhookAttempt } from '../../resources/webhook-attempt.ts'
import { webhookDelivery } from '../../resources/webhook-delivery.ts'
import type { Services } from '../../services/services.ts'
import { redeliverWebhookDelivery } from '../../services/webhook/redeliver.ts'
import { testWebhook } from '../../services/webhook/test-webhook.ts'
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../services/webhook/webhook-commands.ts'
import { builder } from '../builder.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { described, recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { WebhookDeliveryStatusEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

type WebhookRecord = Awaited<ReturnType<Services['webhooks']['get']>>
type DeliveryRecord = Awaited<ReturnType<Services['webhookDeliveries']['get']>>

const Webhook = recordType<WebhookRecord>(webhook, [Node])
const WebhookDelivery = recordType<DeliveryRecord>(webhookDelivery, [Node])

const WebhookAttempt = recordType<RecordOf<typeof webhookAttempt.answer>>(webhookAttempt)

findableAsNode('hook', 'Webhook', ({ services, caller }, id) => services.webhooks.get(caller, id))
findableAsNode('dlv', 'WebhookDelivery', ({ services, caller }, id) => services.webhookDeliveries.get(caller, id))

builder.queryFields((t) => ({
  webhook: t.field({
    type: Webhook,
    nullable: true,
    description: 'A webhook, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
    resolve: (_root, { id }, { services, caller }) => services.webhooks.get(caller, id),
  }),
  webhooks: t.connection({
    type: Webhook,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The webhooks of an account; of your current account when accountId is omitted.',
    args: { accountId: t.arg.id({ description: 'Id of the account.' }) },
    async resolve(_root, { accountId, ...page }, { services, caller }) {
      const filter = { accountId: accountId ?? undefined }
      const found = await services.webhooks.list(caller, filter, pageRequest(page, ROOT_PAGE))
      return connectionOf(found, ({ webhookId }) => webhookId, page.after)
    },
  }),
  webhookDelivery: t.field({
    type: WebhookDelivery,
    nullable: true,
    description: 'A delivery of a webhook, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: (_root, { id }, { services, caller }) => services.webhookDeliveries.get(caller, id),
  }),
  webhookAttempts: t.field({
    type: [WebhookAttempt],
    description: 'The attempts of a delivery, newest first: the newest 100.',
    args: { deliveryId: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: (_root, { deliveryId }, { services, caller }) => services.webhookDeliveries.attempts(caller, deliveryId),
  }),
  webhookDeliveries: t.connection({
    type: WebhookDelivery,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The deliveries of a webhook, newest first.',
    args: {
      webhookId: t.arg.id({ required: true, description: 'Id of the webhook.' }),
      status: t.arg({ type: WebhookDeliveryStatusEnum, description: 'Progress: only deliveries with that status.' }),
    },
    async resolve(_root, { webhookId, status, ...page }, { services, caller }) {
      const filter = { webhookId, status: status ?? undefined }
      const found = await services.webhookDeliveries.list(caller, filter, pageRequest(page, ROOT_PAGE))
      return connectionOf(found, ({ deliveryId }) => deliveryId, page.after)
    },
  }),
}))

/** What was created or changed; a dry run has created nothing that could be read. */
function webhookById<Result extends { webhookId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.field({
    type: Webhook,
    nullable: true,
    description: 'Webhook that was created or changed.',
    resolve: (answer, _args, { services, caller }) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun ? null : services.webhooks.get(caller, result.webhookId)
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

commandMutation(createWebhook, {
  payload: (t) => ({ webhook: webhookById(t, true), secret: secretField(t) }),
})
commandMutation(updateWebhook, { versioned: true, payload: (t) => ({ webhook: webhookById(t, false) }) })
commandMutation(rotateWebhookSecret, {
  versioned: true,
  payload: (t) => ({ webhook: webhookById(t, false), secret: secretField(t) }),
})
commandMutation(testWebhook, { versioned: true, waits: true, payload: (t) => outcomeFields(t, testedWebhook) })
commandMutation(deleteWebhook, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(redeliverWebhookDelivery, {
  waits: true,
  payload: (t) => ({
    delivery: t.field({
      type: WebhookDelivery,
      nullable: true,
      description: 'Delivery that is sent again.',
      resolve: ({ result }) => result,
    }),
  }),
})
