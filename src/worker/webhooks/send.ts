import { Webhook as Signer } from 'standardwebhooks'
import type { Config } from '../../config/config.ts'
import type { Outcome } from '../../domain/webhook.ts'
import { sendMail } from '../../network/send-mail.ts'
import type { Database } from '../../storage/database/client.ts'
import type { RecordedEvent } from '../../storage/events/event.ts'
import type { Notice } from '../../storage/events/notices.ts'
import { bodyOf, noticeFor, type Receiver } from './delivery.ts'
import { post } from './post.ts'

const MAX_DISCORD_LENGTH = 2_000

interface Sending {
  database: Database
  config: Config
  receiver: Receiver
  deliveryId: string
  event: RecordedEvent
  signal: AbortSignal
}

/** One attempt to send an event to a receiver. Throws when there is no answer. */
export async function send(sending: Sending): Promise<Outcome> {
  const { database, config, receiver, deliveryId, event, signal } = sending
  const { webhook, secrets } = receiver
  if (webhook.kind === 'WEBHOOK') {
    const body = await bodyOf(database, event)
    return post({ url: secrets.url ?? '', body, headers: signed(receiver, deliveryId, body), config, signal })
  }
  const notice = await noticeFor(database, event)
  if (webhook.kind === 'EMAIL') return mail({ recipients: secrets.recipients, notice, deliveryId, config, signal })
  return post({ url: secrets.url ?? '', body: CHAT_BODIES[webhook.kind](notice), config, signal })
}

/** By Standard Webhooks: one id for all attempts, the time of this one, and a signature for each secret that holds. */
function signed({ secrets, signsTwice }: Receiver, id: string, body: string): Record<string, string> {
  const at = new Date()
  const keys = [secrets.secret, signsTwice ? secrets.formerSecret : null].filter((key) => key !== null)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': keys.map((key) => new Signer(key).sign(id, at, body)).join(' '),
  }
}

/** Names chosen by users must not mention people or make links. */
const CHAT_BODIES = {
  SLACK: ({ title, text }: Notice) => {
    const plain = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    return JSON.stringify({ text: `*${plain(title)}*\n${plain(text)}` })
  },
  DISCORD: ({ title, text }: Notice) => {
    const content = `**${title}**\n${text}`.slice(0, MAX_DISCORD_LENGTH).toWellFormed()
    return JSON.stringify({ content, allowed_mentions: { parse: [] } })
  },
}

interface Mail {
  recipients: readonly string[]
  notice: Notice
  deliveryId: string
  config: Config
  /** Fires at the deadline. */
  signal: AbortSignal
}

/** One e-mail through the operator's server. Its id is that of the delivery, by which a reader finds repeats. */
async function mail({ recipients, notice, deliveryId, config, signal }: Mail): Promise<Outcome> {
  const { BERTH_SMTP_URL: url } = config
  if (!url)
    return { delivered: false, answerStatus: null, answer: null, error: 'This installation sends no e-mail any more' }
  try {
    await sendMail(url, { to: recipients, subject: notice.title, text: notice.text, id: deliveryId }, config, signal)
    return { delivered: true, answerStatus: null, answer: null, error: null }
  } catch (error) {
    // What the operator's server says besides is not for tenants.
    const { responseCode } = error as { responseCode?: number }
    if (responseCode === undefined) throw error
    const words = `The mail server answered ${responseCode}`
    return { delivered: false, answerStatus: null, answer: null, error: words }
  }
}
