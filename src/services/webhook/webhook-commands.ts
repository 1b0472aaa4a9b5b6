import { z } from 'zod'
import { type CommandContext, command } from '../../calls/command.ts'
import { flag, id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { shownAddress, type WebhookSecrets } from '../../domain/webhook.ts'
import { newWebhookSecret } from '../../storage/secrets/webhook-secret.ts'
import { lockAccount } from '../targets/load-account.ts'
import { announceWebhook, lockWebhook, secretsOf, TAKEN_BACK } from './lock-webhook.ts'
import { createdWebhook, webhook, webhookKind } from './webhook-fields.ts'
import {
  checkEventTypes,
  checkReceiver,
  requireMailer,
  webhookEventTypes,
  webhookName,
  webhookRecipients,
  webhookUrl,
} from './webhook-input.ts'
import { webhookRecord } from './webhook-queries.ts'

export const createWebhook = command({
  name: 'createWebhook',
  rest: { method: 'POST', path: '/account/webhook', answer: createdWebhook },
  about:
    'Send the events of an account to a receiver, from now on. The secret that signs them is returned only in this answer.',
  example: {
    request: {
      name: 'Orders of the shop',
      url: 'https://shop.example.com/hooks',
      eventTypes: ['operation.succeeded', 'operation.failed'],
    },
  },
  input: z.strictObject({
    accountId: id('account'),
    kind: webhookKind.type.default('WEBHOOK').describe('How the webhook notifies its receiver.'),
    name: webhookName,
    url: webhookUrl.optional(),
    recipients: webhookRecipients.optional(),
    eventTypes: webhookEventTypes.default([]),
  }),
  permission: 'webhook:manage',
  async target({ tx }, { accountId }) {
    const { account } = await lockAccount(tx, accountId)
    return { type: 'webhook' as const, id: null, accountId: account.id, account }
  },
  async execute(context, { kind, name, url = null, recipients = [], eventTypes }, { account }) {
    const { tx, vault, config } = context
    checkReceiver(config, kind, { url, recipients })
    checkEventTypes(kind, eventTypes)
    requireMailer(config, kind)
    await requireRoom(context, account.id)
    const webhookId = newId('hook')
    const secret = kind === 'WEBHOOK' ? newWebhookSecret() : null
    const secrets: WebhookSecrets = { url, recipients, secret, formerSecret: null }
    const sealedData = vault.forAccount(account).sealWebhook(webhookId, secrets)
    const events = await tx.eventSequence.findUnique({ where: { id: account.id } })
    const row = await tx.webhook.create({
      data: {
        id: webhookId,
        accountId: account.id,
        kind,
        name,
        sealedData,
        eventTypes,
        address: shownAddress(kind, secrets),
        readSequence: events?.lastEventSequence ?? 0n,
      },
    })
    announceWebhook(context, row, { eventTypes })
    if (secret) context.created(secret)
    return { ...webhookRecord.record(row), secret }
  },
})

export const updateWebhook = command({
  name: 'updateWebhook',
  rest: { method: 'PUT', path: '/account/webhook', answer: webhook.answer },
  versioned: true,
  about:
    'Change a webhook. A webhook that is enabled again continues where it stopped, as far back as events are kept. Waiting deliveries are sent with the new settings.',
  example: { request: { enabled: true } },
  input: z.strictObject({
    webhookId: id('webhook'),
    name: webhookName.optional(),
    url: webhookUrl.optional(),
    recipients: webhookRecipients.optional(),
    eventTypes: webhookEventTypes.optional(),
    enabled: flag('Whether the webhook sends anything.').optional(),
  }),
  permission: 'webhook:manage',
  target: ({ tx }, { webhookId }) => lockWebhook(tx, webhookId),
  async execute(context, { webhookId, name, url, recipients, eventTypes, enabled }, { webhook }) {
    const { tx, vault, config } = context
    const present = secretsOf(vault, webhook)
    const secrets: WebhookSecrets = {
      ...present,
      url: url ?? present.url,
      recipients: recipients ?? present.recipients,
    }
    if (url ?? recipients) checkReceiver(config, webhook.kind, secrets)
    if (eventTypes) checkEventTypes(webhook.kind, eventTypes)
    const isMoved = url !== undefined || recipients !== undefined
    const moved = isMoved && {
      sealedData: vault.forAccount(webhook.account).sealWebhook(webhookId, secrets),
      address: shownAddress(webhook.kind, secrets),
    }
    const isOnAgain = enabled === true && !webhook.isEnabled
    const switched = enabled === undefined ? {} : { isEnabled: enabled, disabledReason: null }
    const row = await tx.webhook.update({
      where: { id: webhookId },
      data: {
        ...(name ? { name } : {}),
        ...(eventTypes ? { eventTypes } : {}),
        ...moved,
        ...switched,
        ...(isOnAgain || isMoved ? { failingSince: null } : {}),
        ...TAKEN_BACK,
        version: { increment: 1 },
      },
    })
    if (isOnAgain || isMoved) await sendWaiting(context, webhookId)
    announceWebhook(context, row, {
      ...(eventTypes ? { eventTypes } : {}),
      ...(isMoved ? { receiverReplaced: true } : {}),
    })
    return webhookRecord.record(row)
  },
})

export const rotateWebhookSecret = command({
  name: 'rotateWebhookSecret',
  rest: { method: 'POST', path: '/account/webhook/rotate-secret', answer: createdWebhook },
  versioned: true,
  about:
    'Give a webhook a new secret, which is returned only in this answer. For a while, deliveries are signed with the former one, too.',
  dangerous: true,
  input: z.strictObject({ webhookId: id('webhook') }),
  permission: 'webhook:manage',
  target: ({ tx }, { webhookId }) => lockWebhook(tx, webhookId),
  async execute(context, { webhookId }, { webhook }) {
    const { tx, vault, config } = context
    const present = secretsOf(vault, webhook)
    if (present.secret === null)
      throw conflict('NO_WEBHOOK_SECRET', `Webhooks of the kind ${webhook.kind} are not signed, so they have no secret`)
    const secret = newWebhookSecret()
    const secrets: WebhookSecrets = { ...present, secret, formerSecret: present.secret }
    const sealedData = vault.forAccount(webhook.account).sealWebhook(webhookId, secrets)
    await tx.$executeRaw`
      UPDATE webhook SET former_secret_until = now() + make_interval(hours => ${config.BERTH_WEBHOOK_SECRET_HOURS})
      WHERE id = ${webhookId}`
    const row = await tx.webhook.update({
      where: { id: webhookId },
      data: { sealedData, ...TAKEN_BACK, version: { increment: 1 } },
    })
    announceWebhook(context, row, { secretRotated: true })
    context.created(secret)
    return { ...webhookRecord.record(row), secret }
  },
})

export const deleteWebhook = command({
  name: 'deleteWebhook',
  rest: { method: 'DELETE', path: '/account/webhook', answer: messageAnswer },
  versioned: true,
  about: 'Delete a webhook with its deliveries. Waiting deliveries are not sent.',
  example: { answer: { message: 'Webhook "Orders of the shop" is deleted' } },
  dangerous: true,
  input: z.strictObject({ webhookId: id('webhook') }),
  permission: 'webhook:manage',
  target: ({ tx }, { webhookId }) => lockWebhook(tx, webhookId),
  async execute(context, { webhookId }, { webhook }) {
    await context.tx.webhook.delete({ where: { id: webhookId } })
    announceWebhook(context, webhook, { deleted: true })
    return { message: `Webhook "${webhook.name}" is deleted` }
  },
})

async function requireRoom({ tx, config }: CommandContext, accountId: string): Promise<void> {
  const count = await tx.webhook.count({ where: { accountId } })
  if (count < config.BERTH_ACCOUNT_WEBHOOKS) return
  const limit = `may have ${config.BERTH_ACCOUNT_WEBHOOKS} (BERTH_ACCOUNT_WEBHOOKS)`
  throw conflict('TOO_MANY_WEBHOOKS', `The account has ${count} webhooks, and ${limit}: delete some first`)
}

/** What waits is sent at once, with all its attempts. */
async function sendWaiting({ tx }: CommandContext, webhookId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_delivery SET due_at = now(), failures = 0 WHERE webhook_id = ${webhookId} AND status = 'PENDING'`
  await tx.$executeRaw`UPDATE webhook SET due_at = now() WHERE id = ${webhookId}`
}
