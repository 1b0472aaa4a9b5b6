import type { Config } from '../config/config.ts'

interface Mail {
  to: readonly string[]
  subject: string
  text: string
  /** The part of its id before the @, by which a reader finds repeats. */
  id: string
}

type Settings = Pick<Config, 'BERTH_SMTP_FROM' | 'BERTH_WEBHOOK_TIMEOUT_SECONDS'>

/** One e-mail through the operator's server. Throws when it was not taken; `signal` fires at the deadline. */
export async function sendMail(
  url: string,
  { to, subject, text, id }: Mail,
  { BERTH_SMTP_FROM: from, BERTH_WEBHOOK_TIMEOUT_SECONDS: seconds }: Settings,
  signal: AbortSignal,
): Promise<void> {
  // Most installations never ask for it.
  const { createTransport } = await import('nodemailer')
  const timeout = seconds * 1000
  const transport = createTransport({
    url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const close = () => transport.close()
  signal.addEventListener('abort', close, { once: true })
  const late = new Promise<never>((_resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  try {
    const messageId = `<${id}@${from.split('@')[1]}>`
    await Promise.race([transport.sendMail({ from, to: [...to], subject, text: `${text}\n`, messageId }), late])
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}
