import { isIP } from 'node:net'
import { checkServerIdentity, connect, type PeerCertificate } from 'node:tls'
import { type Finding, fail, ok, warn } from './finding.ts'

const ANSWER_MS = 4_000
const DAY_MS = 86_400_000
/** Proxies renew a month or so before the end: what is left then has failed to be renewed. */
const MIN_DAYS = 14

export type Presented =
  /** `untrusted`: why a client would refuse the chain. `wrongHost`: why it is not for the host. */
  | { validTo: Date; untrusted: string | null; wrongHost: string | null }
  /** The code of what failed before there was a certificate. */
  | { failed: string }

/** The certificates of the public URLs that are https. */
export function checkCertificates(urls: readonly (string | undefined)[]): Promise<Finding>[] {
  const hosts = urls.flatMap((url) => (url?.startsWith('https:') ? [new URL(url)] : []))
  const places = new Map(hosts.map(({ hostname, port }) => [`${hostname}:${port || 443}`, { hostname, port }]))
  return [...places].map(async ([place, { hostname, port }]) =>
    certificateFinding(place, await presentedBy(hostname, Number(port || 443)), Date.now()),
  )
}

export function certificateFinding(place: string, presented: Presented, now: number): Finding {
  const name = 'certificate'
  if ('failed' in presented)
    return fail(
      name,
      `${place} presents none: ${presented.failed}`,
      'Start the TLS proxy, and see that its ports are open',
    )
  const { validTo, untrusted, wrongHost } = presented
  const days = Math.floor((validTo.getTime() - now) / DAY_MS)
  const renew = 'Let the TLS proxy renew it; its log says why it has not'
  if (validTo.getTime() < now) return fail(name, `that of ${place} expired on ${dayOf(validTo)}`, renew)
  if (wrongHost)
    return fail(name, `that of ${place} is for other hosts: ${wrongHost}`, 'Let the TLS proxy get one for this host')
  if (untrusted)
    return fail(
      name,
      `clients refuse that of ${place}: ${untrusted}`,
      'Let the TLS proxy get one from a public authority',
    )
  const found = `that of ${place} is valid until ${dayOf(validTo)}, ${days} days`
  return days < MIN_DAYS ? warn(name, found, renew) : ok(name, found)
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10)

function presentedBy(host: string, port: number): Promise<Presented> {
  return new Promise((resolve) => {
    const servername = isIP(host) ? '' : host
    const socket = connect({ host, port, servername, rejectUnauthorized: false, timeout: ANSWER_MS })
    const end = (presented: Presented) => {
      socket.destroy()
      resolve(presented)
    }
    socket.once('secureConnect', () => end(judged(host, socket.getPeerCertificate(), socket.authorizationError)))
    socket.once('timeout', () => end({ failed: 'no answer' }))
    socket.once('error', (error: NodeJS.ErrnoException) => end({ failed: error.code ?? error.message }))
  })
}

function judged(host: string, certificate: PeerCertificate, refusal: Error | string | null): Presented {
  const validTo = new Date(certificate.valid_to)
  const untrusted = refusal ? String((refusal as NodeJS.ErrnoException).code ?? refusal) : null
  return { validTo, untrusted, wrongHost: checkServerIdentity(host, certificate)?.message ?? null }
}
