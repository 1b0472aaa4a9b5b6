import type { Config } from '../../config/config.ts'
import type { Outcome } from '../../domain/webhook.ts'
import { askAddress, retryAfterSeconds } from '../../network/addresses/ask-address.ts'
import { HostRules } from '../../network/addresses/host-rules.ts'
import { plainText } from '../text/plain-text.ts'

const GONE = 410

interface Post {
  url: string
  body: string
  headers?: Readonly<Record<string, string>>
  config: Config
  /** Fires at the deadline. */
  signal: AbortSignal
}

/**
 * One POST to a receiver that a tenant named: to an address that was checked, and nowhere else. Follows no redirect,
 * because that would lead wherever the receiver wants.
 */
export async function post({ url: text, body, headers = {}, config, signal }: Post): Promise<Outcome> {
  const url = new URL(text)
  const host = await inTime(new HostRules(config.BERTH_WEBHOOK_PRIVATE_HOSTS).check(url), signal)
  if (host.kind === 'refused')
    return failure(
      `${url.hostname} is on ${host.inside}, where nothing is sent unless BERTH_WEBHOOK_PRIVATE_HOSTS lists it`,
    )
  if (host.kind === 'unknown') return failure(`${url.hostname} cannot be resolved`)
  if (url.protocol !== 'https:' && !host.isListed) return failure('Only https:// is allowed')
  const answer = await askAddress(url, host.addresses, {
    method: 'POST',
    body,
    signal,
    bodyBytes: config.BERTH_WEBHOOK_ANSWER_BYTES,
    headers: { 'content-type': 'application/json', ...headers },
  })
  const { status } = answer
  const delivered = status >= 200 && status < 300
  const isRedirect = status >= 300 && status < 400
  const words = isRedirect ? `Answered ${status}: redirects are not followed` : `Answered ${status}`
  return {
    delivered,
    isGone: status === GONE,
    answerStatus: status,
    retryAfterSeconds: retryAfterSeconds(answer),
    answer: plainText(answer.body.toString('utf8')) || null,
    error: delivered ? null : words,
  }
}

const failure = (error: string): Outcome => ({ delivered: false, answerStatus: null, answer: null, error })

/** A query of a name server may be slow, and cannot be cancelled. */
function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = new Promise<never>((_resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  return Promise.race([work, late])
}
