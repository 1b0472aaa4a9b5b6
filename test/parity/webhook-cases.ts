import { redeliverWebhookDelivery } from '../../src/services/webhook/redeliver.ts'
import { testWebhook } from '../../src/services/webhook/test-webhook.ts'
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../src/services/webhook/webhook-commands.ts'
import { endedDelivery } from '../support/webhook-delivery.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const url = 'https://receiver.example.com/hooks?key=1'

const webhook = async ({ perform, accountId }: World, fields: Record<string, unknown> = {}) =>
  (await perform(createWebhook, { accountId, name: 'Receiver', url, ...fields })).webhookId

const delivery = async (world: World) => {
  const webhookId = await webhook(world)
  return { webhookId, deliveryId: await endedDelivery(world.database, webhookId) }
}

const UNKNOWN = { webhookId: 'hook_01h455vb4pex5vsknk084sn02q' }

export const webhookCases = [
  parityCase('createWebhook', 'accepted', async ({ accountId }) => ({
    command: createWebhook,
    input: { accountId, name: 'Receiver', url, eventTypes: ['operation.failed', 'appEnv.healthChanged'] },
  })),
  parityCase('createWebhook of a chat', 'accepted', async ({ accountId }) => ({
    command: createWebhook,
    input: { accountId, kind: 'SLACK', name: 'Chat', url },
  })),
  parityCase('createWebhook on a private address', 'INVALID_INPUT', async ({ accountId }) => ({
    command: createWebhook,
    input: { accountId, name: 'Receiver', url: 'https://169.254.169.254/' },
  })),
  parityCase('createWebhook of e-mail without a server', 'CONFLICT MAIL_NOT_CONFIGURED', async ({ accountId }) => ({
    command: createWebhook,
    input: { accountId, kind: 'EMAIL', name: 'People', recipients: ['ada@example.com'] },
  })),
  parityCase('createWebhook by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createWebhook,
    input: { accountId: world.accountId, name: 'Receiver', url },
    token: (await world.user()).token,
  })),
  parityCase('testWebhook', 'accepted', async (world) => ({
    command: testWebhook,
    input: { webhookId: await webhook(world) },
  })),
  parityCase('testWebhook that is switched off', 'CONFLICT WEBHOOK_DISABLED', async (world) => {
    const webhookId = await webhook(world)
    await world.perform(updateWebhook, { webhookId, enabled: false })
    return { command: testWebhook, input: { webhookId } }
  }),
  parityCase('testWebhook with as many deliveries waiting as may', 'CONFLICT WEBHOOK_FULL', async (world) => {
    const webhookId = await webhook(world)
    await world.database.webhook.update({ where: { id: webhookId }, data: { isFull: true } })
    return { command: testWebhook, input: { webhookId } }
  }),
  parityCase('updateWebhook', 'accepted', async (world) => ({
    command: updateWebhook,
    input: { webhookId: await webhook(world), name: 'Other', eventTypes: ['operation.failed'], enabled: false },
  })),
  parityCase('updateWebhook at an old version', 'PRECONDITION_FAILED VERSION_MISMATCH', async (world) => ({
    command: updateWebhook,
    input: { webhookId: await webhook(world), name: 'Other' },
    expectedVersion: 7,
  })),
  parityCase('updateWebhook of a chat to events that it is not told', 'INVALID_INPUT', async (world) => ({
    command: updateWebhook,
    input: { webhookId: await webhook(world, { kind: 'DISCORD' }), eventTypes: ['app.created'] },
  })),
  parityCase('rotateWebhookSecret', 'accepted', async (world) => ({
    command: rotateWebhookSecret,
    input: { webhookId: await webhook(world) },
  })),
  parityCase('rotateWebhookSecret of a chat', 'CONFLICT NO_WEBHOOK_SECRET', async (world) => ({
    command: rotateWebhookSecret,
    input: { webhookId: await webhook(world, { kind: 'SLACK' }) },
  })),
  parityCase('redeliverWebhookDelivery', 'accepted', async (world) => ({
    command: redeliverWebhookDelivery,
    input: { deliveryId: (await delivery(world)).deliveryId },
  })),
  parityCase('redeliverWebhookDelivery of a webhook that is off', 'CONFLICT WEBHOOK_DISABLED', async (world) => {
    const { webhookId, deliveryId } = await delivery(world)
    await world.perform(updateWebhook, { webhookId, enabled: false })
    return { command: redeliverWebhookDelivery, input: { deliveryId } }
  }),
  parityCase('redeliverWebhookDelivery that is unknown', 'NOT_FOUND', async () => ({
    command: redeliverWebhookDelivery,
    input: { deliveryId: 'dlv_01h455vb4pex5vsknk084sn02q' },
  })),
  parityCase('deleteWebhook', 'accepted', async (world) => ({
    command: deleteWebhook,
    input: { webhookId: await webhook(world) },
  })),
  parityCase('deleteWebhook that is unknown', 'NOT_FOUND', async () => ({ command: deleteWebhook, input: UNKNOWN })),
]
