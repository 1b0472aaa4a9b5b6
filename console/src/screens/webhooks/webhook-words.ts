import type { ResultOf } from '../../graphql/graphql.ts'
import type { Shown } from '../../ui/status.tsx'
import type { WebhookDeliveries, WebhookState } from './documents.ts'

export type Webhook = ResultOf<typeof WebhookState>
export type WebhookKind = Webhook['kind']
export type Delivery = NonNullable<ResultOf<typeof WebhookDeliveries>['webhookDeliveries']>['nodes'][number]

export const KINDS: Readonly<Record<WebhookKind, { label: string; help: string }>> = {
  WEBHOOK: { label: 'Webhook', help: 'A signed POST of each event, by Standard Webhooks.' },
  SLACK: { label: 'Slack', help: 'A message to a chat that takes what Slack takes. Some types of events only.' },
  DISCORD: { label: 'Discord', help: 'A message to a chat that takes what Discord takes. Some types of events only.' },
  EMAIL: { label: 'E-mail', help: 'An e-mail to each recipient. Some types of events only.' },
}

/** Whether it sends, and why not. */
export function sendingOf({ enabled, disabledReason, failingSince }: Webhook): Shown {
  if (disabledReason === 'FAILING')
    return { icon: 'circleX', word: 'Switched off: its receiver failed for days', tone: 'bad' }
  if (disabledReason === 'GONE') return { icon: 'circleX', word: 'Switched off: its receiver is gone', tone: 'bad' }
  if (!enabled) return { icon: 'circleStop', word: 'Off', tone: 'soft' }
  if (failingSince) return { icon: 'triangleAlert', word: 'Its receiver fails', tone: 'warn' }
  return { icon: 'circleCheck', word: 'On', tone: 'good' }
}

export const DELIVERY_STATUS: Readonly<Record<Delivery['status'], Shown>> = {
  PENDING: { icon: 'clock', word: 'Waits', tone: 'info' },
  DELIVERED: { icon: 'circleCheck', word: 'Delivered', tone: 'good' },
  FAILED: { icon: 'circleX', word: 'Given up', tone: 'bad' },
}
