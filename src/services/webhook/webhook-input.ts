import { z } from 'zod'
import { name, pasted } from '../../calls/input.ts'
import type { Config } from '../../config/config.ts'
import { conflict, type FieldProblem, invalidInput } from '../../domain/errors.ts'
import type { WebhookSecrets } from '../../domain/webhook.ts'
import { HostRules } from '../../network/addresses/host-rules.ts'
import { NOTICE_TYPES } from '../../storage/events/notices.ts'
import { eventType } from '../event/event-fields.ts'
import type { webhookKind } from './webhook-fields.ts'

export type WebhookKind = z.output<typeof webhookKind.type>

const MAX_URL_LENGTH = 2048
const MAX_RECIPIENTS = 10

export const webhookName = name('webhook')

export const webhookUrl = pasted()
  .min(1)
  .max(MAX_URL_LENGTH)
  .describe('URL that is sent to. Not for e-mail. Stored encrypted.')

export const webhookRecipients = z
  .array(z.email().max(254))
  .min(1)
  .max(MAX_RECIPIENTS)
  .describe('E-mail addresses, for the kind EMAIL.')

export const webhookEventTypes = z
  .array(eventType.type)
  .max(Object.keys(eventType.values).length)
  .describe('Types of events to send. None means every type that the kind of webhook can send.')

type Addressed = Pick<WebhookSecrets, 'url' | 'recipients'>

/** Throws INVALID_INPUT that names each wrong field. */
export function checkReceiver(config: Config, kind: WebhookKind, { url, recipients }: Addressed): void {
  const isMail = kind === 'EMAIL'
  const problems: FieldProblem[] = []
  if (isMail && url !== null) problems.push({ field: 'url', message: 'is not for the kind EMAIL; send recipients' })
  if (isMail && recipients.length === 0)
    problems.push({ field: 'recipients', message: 'is required for the kind EMAIL' })
  if (!isMail && recipients.length > 0)
    problems.push({ field: 'recipients', message: `is only for the kind EMAIL, not ${kind}` })
  if (!isMail) {
    const problem = url === null ? `is required for the kind ${kind}` : urlProblem(config, url)
    if (problem) problems.push({ field: 'url', message: problem })
  }
  if (problems.length > 0) throw invalidInput(problems)
}

export function requireMailer({ BERTH_SMTP_URL: server }: Config, kind: WebhookKind): void {
  if (kind === 'EMAIL' && !server)
    throw conflict('MAIL_NOT_CONFIGURED', 'This installation sends no e-mail: its operator has set no BERTH_SMTP_URL')
}

/** What a URL shows without being resolved. Its addresses are judged with each attempt. */
function urlProblem(config: Config, text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !['https:', 'http:'].includes(url.protocol)) return 'must be a URL, such as https://example.com/hooks'
  if (url.username || url.password) return 'must not hold a user name or password'
  const judged = new HostRules(config.BERTH_WEBHOOK_PRIVATE_HOSTS).judge(url)
  if (judged.kind === 'refused') return `is on ${judged.inside}, where this installation sends nothing`
  return url.protocol === 'https:' || judged.kind === 'listed' ? null : 'must begin with https://'
}

/** Chats and e-mail get some types of events only. */
export function checkEventTypes(kind: WebhookKind, eventTypes: readonly string[]): void {
  const allowed: readonly string[] = NOTICE_TYPES
  const wrong = kind === 'WEBHOOK' ? [] : [...eventTypes.entries()].filter(([, type]) => !allowed.includes(type))
  if (wrong.length === 0) return
  const message = `must be one of ${allowed.join(', ')} for the kind ${kind}`
  throw invalidInput(wrong.map(([index]) => ({ field: `eventTypes.${index}`, message })))
}
