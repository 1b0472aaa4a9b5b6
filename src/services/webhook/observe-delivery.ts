import type { Progress } from '../../calls/command.ts'
import type { WaitedStatus } from '../../domain/waited-operation.ts'
import type { Database } from '../../storage/database/client.ts'
import type { WebhookDeliveryStatus } from '../../storage/database/generated/prisma/client.ts'

/** A worker makes the delivery of a test when it takes its event. */
export async function observeDelivery(database: Database, { deliveryId }: { deliveryId: string }): Promise<Progress> {
  const found = await database.webhookDelivery.findUnique({ where: { id: deliveryId }, select: { status: true } })
  return { hasEnded: found !== null && found.status !== 'PENDING' }
}

const OUTCOMES = { PENDING: 'RUNNING', DELIVERED: 'SUCCEEDED', FAILED: 'FAILED' } as const satisfies Record<
  WebhookDeliveryStatus,
  WaitedStatus
>

export const outcomeOfDelivery = (status: WebhookDeliveryStatus): WaitedStatus => OUTCOMES[status]
