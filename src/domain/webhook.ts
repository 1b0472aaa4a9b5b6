import { type Backoff, backoff, withJitter } from './backoff.ts'

/** What a webhook keeps to itself: a chat's URL is a login, and so may be any other. */
export interface WebhookSecrets {
  /** Of e-mail, null. */
  url: string | null
  recipients: readonly string[]
  /** As Standard Webhooks writes it, `whsec_…`; null for what is not signed. */
  secret: string | null
  /** Signs, too, until `formerSecretUntil`. */
  formerSecret: string | null
}

/** Outcome of one attempt. */
export interface Outcome {
  delivered: boolean
  /** The receiver says that it is gone for good. */
  isGone?: boolean
  /** The receiver asks for no attempt before. */
  retryAfterSeconds?: number | null
  /** Status and beginning of the answer; null where there was none. */
  answerStatus: number | null
  answer: string | null
  /** Why it failed; null for a success. */
  error: string | null
}

export interface Attempt extends Outcome {
  durationMs: number
}

export interface AttemptLimits {
  attempts: number
  pauses: Backoff
}

/**
 * The seconds until the next attempt after so many failures; null when the delivery is given up. A receiver that asks
 * for a longer pause has it, up to the longest.
 */
export const pauseAfter = (
  failures: number,
  { attempts, pauses }: AttemptLimits,
  askedSeconds: number | null = null,
): number | null =>
  failures >= attempts
    ? null
    : Math.max(withJitter(backoff(pauses, failures - 1)), Math.min(askedSeconds ?? 0, pauses.max))

/**
 * The part of an address that identifies the receiver without allowing to send to it: without query, a chat without
 * path.
 */
export function shownAddress(kind: string, { url, recipients }: Pick<WebhookSecrets, 'url' | 'recipients'>): string {
  if (url === null) return recipients.join(', ')
  const { origin, pathname } = new URL(url)
  return kind === 'WEBHOOK' ? `${origin}${pathname}` : `${origin}/…`
}
