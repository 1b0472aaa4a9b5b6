import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export type GitProvider = 'GITHUB' | 'GITLAB' | 'GITEA'

/** A delivery of a git host, of which nothing is known to be true yet. */
export interface GitRequest {
  /** By its lower-case name. */
  header(name: string): string | undefined
  /** As it came. */
  body: Buffer
  /** What the body says: the body itself, or the field `payload` of a form. */
  payload: Buffer
}

/** How far the clock of a git host may be off, and how long a signed delivery may have been under way. */
const TOLERANCE_SECONDS = 300

type Check = (request: GitRequest, secret: string) => boolean

/** Whether the host that sent the request knows the secret. */
export const isSignedBy = (provider: GitProvider, request: GitRequest, secret: string): boolean =>
  CHECKS[provider](request, secret)

const CHECKS: Readonly<Record<GitProvider, Check>> = {
  GITHUB: ({ header, body }, secret) => isEqual(header('x-hub-signature-256'), `sha256=${macOf(secret, body)}`),

  /** It signs what it says, also where it sends that as a form. */
  GITEA({ header, payload }, secret) {
    const mac = macOf(secret, payload)
    const sent = header('x-gitea-signature') ?? header('x-forgejo-signature')
    return sent === undefined ? isEqual(header('x-hub-signature-256'), `sha256=${mac}`) : isEqual(sent, mac)
  },

  /** By Standard Webhooks where the hook has a signing token, else the secret as it is. */
  GITLAB: (request, secret) =>
    request.header('webhook-signature') === undefined
      ? isEqual(request.header('x-gitlab-token'), secret)
      : isStandard(request, secret),
}

function isStandard({ header, body }: GitRequest, secret: string): boolean {
  const [id, timestamp] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? '']
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const sent = header('webhook-signature')?.split(' ') ?? []
  return sent.some((signature) => isEqual(signature, `v1,${mac}`))
}

const macOf = (secret: string, bytes: Buffer) => createHmac('sha256', secret).update(bytes).digest('hex')

/** Takes the same time however much of it is equal, and however long it is. */
function isEqual(sent: string | undefined, expected: string): boolean {
  if (sent === undefined) return false
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(sent), hash(expected))
}
