import { isIP } from 'node:net'
import { checkServerIdentity, connect, type PeerCertificate } from 'node:tls'
import type { Config } from '../../config/config.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { probeName } from './names.ts'

const ANSWER_MS = 4_000
const DAY_MS = 86_400_000
/** Proxies renew a month or so before the end: what is left then has failed to be renewed. */
const MIN_DAYS = 14

export type Presented =
  /** `untrusted`: why a client would refuse the chain. `wrongHost`: why it is not for the host. */
  | { validTo: Date; untrusted: string | null; wrongHost: string | null }
  /** The code of what failed before there was a certificate. */
  | { failed: string }

/**
 * The certificates of the public URLs that are https. That of the ingress is for names of apps, so it is asked for one: by a
 * name that no app has, for which a proxy with a wildcard has a certificate, and one that gets them on demand has none.
 */
export function checkCertificates(config: Config): Promise<Finding>[] {
  const { BERTH_API_URL: api, BERTH_INGRESS_URL: ingress, BERTH_DOMAIN: domain } = config
  const places = [
    ...(isHttps(api) ? [{ ...placeOf(api), isOfApps: false }] : []),
    ...(isHttps(ingress) ? [{ ...placeOf(ingress), host: probeName(domain), isOfApps: true }] : []),
  ]
  return places.map(async ({ host, port, isOfApps }) => {
    const presented = await presentedBy(host, port)
    return certificateFinding(
      { place: isOfApps ? `*.${domain}:${port}` : `${host}:${port}`, isOfApps },
      presented,
      Date.now(),
    )
  })
}

const isHttps = (url: string | undefined): url is string => url?.startsWith('https:') === true

function placeOf(url: string) {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port || 443) }
}

interface Place {
  place: string
  isOfApps: boolean
}

export function certificateFinding({ place, isOfApps }: Place, presented: Presented, now: number): Finding {
  const name = 'certificate'
  if ('failed' in presented) {
    const { failed } = presented
    if (isOfApps && failed.includes('ALERT'))
      return ok(name, `a TLS proxy answers at ${place}; hosts get theirs with the first request`)
    const nextStep = failed === 'ENOTFOUND' ? 'Add a DNS record for it' : 'Start the TLS proxy, and open its port'
    return fail(name, `${place} presents none: ${failed}`, nextStep)
  }
  const { validTo, untrusted, wrongHost } = presented
  const days = Math.floor((validTo.getTime() - now) / DAY_MS)
  const renew = 'Let the TLS proxy renew it; its log says why it has not'
  if (validTo.getTime() < now) return fail(name, `that of ${place} expired on ${dayOf(validTo)}`, renew)
  if (wrongHost)
    return fail(name, `that of ${place} is for other hosts: ${wrongHost}`, 'Let the TLS proxy get one for it')
  if (untrusted)
    return fail(
      name,
      `clients refuse that of ${place}: ${untrusted}`,
      'Let the TLS proxy get one of a public authority',
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
