import { z } from 'zod'
import { webhook } from '../../resources/webhook.ts'
import { webhookAttempt } from '../../resources/webhook-attempt.ts'
import { webhookDelivery, webhookDeliveryStatus } from '../../resources/webhook-delivery.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { read } from '../protocol/route.ts'

export const getWebhook = getOne({
  name: 'getWebhook',
  permission: 'webhook:manage',
  about: 'A webhook, without its secrets.',
  query: { webhookId: id('webhook') },
  answer: webhook.answer,
  isVersioned: true,
  find: ({ services, caller }, { webhookId }) => services.webhooks.get(caller, webhookId),
  show: webhook.answer.of,
})

export const listWebhooks = getList({
  name: 'listWebhooks',
  permission: 'webhook:manage',
  about: 'The webhooks of an account; of your current account when accountId is omitted.',
  query: { accountId: id('account').optional() },
  items: 'webhooks',
  answer: webhook.answer,
  find: ({ services, caller }, filter, page) => services.webhooks.list(caller, filter, page),
  show: webhook.answer.of,
})

export const getWebhookDelivery = getOne({
  name: 'getWebhookDelivery',
  permission: 'webhook:manage',
  about: 'A delivery: how far it is, and what came of its last attempt.',
  query: { deliveryId: id('delivery') },
  answer: webhookDelivery.answer,
  find: ({ services, caller }, { deliveryId }) => services.webhookDeliveries.get(caller, deliveryId),
  show: webhookDelivery.answer.of,
})

export const listWebhookDeliveries = getList({
  name: 'listWebhookDeliveries',
  permission: 'webhook:manage',
  about: 'The deliveries of a webhook, newest first.',
  query: {
    webhookId: id('webhook'),
    status: webhookDeliveryStatus.type.optional().describe('Progress: only deliveries with that status.'),
  },
  items: 'deliveries',
  answer: webhookDelivery.answer,
  find: ({ services, caller }, filter, page) => services.webhookDeliveries.list(caller, filter, page),
  show: webhookDelivery.answer.of,
})

export const listWebhookAttempts = read({
  name: 'listWebhookAttempts',
  permission: 'webhook:manage',
  about: 'The attempts of a delivery, newest first: the newest 100.',
  query: z.strictObject({ deliveryId: id('delivery') }),
  answer: z.object({ attempts: z.array(webhookAttempt.answer.type).describe('Attempts, newest first.') }),
  async run({ services, caller }, { deliveryId }) {
    return { attempts: await services.webhookDeliveries.attempts(caller, deliveryId) }
  },
})
