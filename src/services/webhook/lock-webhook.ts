import type { CommandContext, Target } from '../../calls/command.ts'
import { notFound } from '../../domain/errors.ts'
import type { WebhookSecrets } from '../../domain/webhook.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Account, Webhook } from '../../storage/database/generated/prisma/client.ts'
import type { Vault } from '../../storage/secrets/vault.ts'

export type WebhookTarget = Target & { webhook: Webhook & { account: Account } }

export async function lockWebhook(tx: Transaction, webhookId: string): Promise<WebhookTarget> {
  await tx.$queryRaw`SELECT 1 FROM webhook WHERE id = ${webhookId} FOR UPDATE`
  const webhook = await tx.webhook.findUnique({ where: { id: webhookId }, include: { account: true } })
  if (!webhook) throw notFound('webhook', webhookId)
  return { type: 'webhook', id: webhook.id, accountId: webhook.accountId, version: webhook.version, webhook }
}

export const secretsOf = (vault: Vault, { account, id, sealedData }: WebhookTarget['webhook']): WebhookSecrets =>
  vault.forAccount(account).openWebhook(id, sealedData) as WebhookSecrets

/** Ends the lease of the worker that delivers: what it has under way is sent again by the webhook's new settings. */
export const TAKEN_BACK = { leaseToken: { increment: 1 }, leaseOwner: null, leaseExpiresAt: null }

/** One event and audit entry for each change, without what may be secret. */
export function announceWebhook(
  { announce, auditDetails }: Pick<CommandContext, 'announce' | 'auditDetails'>,
  { id: webhookId, kind, name, isEnabled: enabled }: Pick<Webhook, 'id' | 'kind' | 'name' | 'isEnabled'>,
  more: Record<string, unknown> = {},
): void {
  announce({ type: 'webhook.changed', payload: { webhookId, kind, name, enabled, ...more } })
  auditDetails({ kind, name, enabled, ...more })
}
