import type { Config } from '../../config/config.ts'
import type { Outcome } from '../../domain/webhook.ts'
import type { Notice } from '../../events/notices.ts'

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
  const { BERTH_SMTP_URL: url, BERTH_SMTP_FROM: from, BERTH_WEBHOOK_TIMEOUT_SECONDS: seconds } = config
  if (!url)
    return { delivered: false, answerStatus: null, answer: null, error: 'This installation sends no e-mail any more' }
  // Most installations never ask for it.
  const { createTransport } = await import('nodemailer')
  const timeout = seconds * 1000
  const transport = createTransport({
    url,
    ...{ connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout, dnsTimeout: timeout },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  const close = () => transport.close()
  signal.addEventListener('abort', close, { once: true })
  const late = new Promise<never>((_resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  try {
    await Promise.race([
      transport.sendMail({
        ...{ from, to: [...recipients], subject: notice.title, text: `${notice.text}\n` },
        messageId: `<${deliveryId}@${from.split('@')[1]}>`,
      }),
      late,
    ])
    return { delivered: true, answerStatus: null, answer: null, error: null }
  } catch (error) {
    // What the operator's server says besides is not for tenants.
    const { responseCode } = error as { responseCode?: number }
    if (responseCode === undefined) throw error
    const words = `The mail server answered ${responseCode}`
    return { delivered: false, answerStatus: null, answer: null, error: words }
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}
