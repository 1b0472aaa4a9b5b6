import type { Config } from '../../config/config.ts'
import type { Outcome } from '../../domain/webhook.ts'
import { sendMail } from '../../network/send-mail.ts'
import type { Notice } from '../../storage/events/notices.ts'

interface Mail {
  recipients: readonly string[]
  notice: Notice
  deliveryId: string
  config: Config
  /** Fires at the deadline. */
  signal: AbortSignal
}

/** One e-mail through the operator's server. Its id is that of the delivery, by which a reader finds repeats. */
export async function mail({ recipients, notice, deliveryId, config, signal }: Mail): Promise<Outcome> {
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
