import { once } from 'node:events'
import { request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Api } from '../../scripts/demo/api.ts'

const VALID_WITHIN_MS = 30_000
const HOST = 'shop.example.test'
const STRANGER = 'stranger.example.test'

interface Proof {
  hostId: string
  cname: string
}

/**
 * Proves a host by its CNAME, and visits it over TLS: Caddy gets a certificate for it at that moment, because the ingress
 * says that it is routed, and for no other name. Returns who issued it.
 */
export async function visitCustomHost(
  api: Api,
  appEnvId: string,
  { records, httpsPort }: { records: Map<string, string>; httpsPort: number },
): Promise<string> {
  const { body } = await api.post<Proof>('/app-env/host', { appEnvId, host: HOST })
  records.set(`CNAME ${HOST}`, body.cname)
  await untilValid(api, appEnvId, body.hostId)
  const { status, certificate } = await connectTo(httpsPort, HOST)
  if (status !== 200) throw new Error(`The custom host answered ${status}`)
  if (!certificate.subjectaltname?.includes(HOST))
    throw new Error(`The certificate is for ${certificate.subjectaltname}`)
  const refused = await connectTo(httpsPort, STRANGER).catch((error: Error) => error)
  if (!(refused instanceof Error)) throw new Error('A host that nobody has added got a certificate')
  return `${HOST}: 200, with a certificate by ${certificate.issuer.CN}; ${STRANGER}: no certificate`
}

async function untilValid(api: Api, appEnvId: string, hostId: string): Promise<void> {
  const deadline = Date.now() + VALID_WITHIN_MS
  while (Date.now() < deadline) {
    const { status } = await api.get<{ status: string }>(`/app-env/host?appEnvId=${appEnvId}&hostId=${hostId}`)
    if (status === 'VALID') return
    await sleep(500)
  }
  throw new Error(`The host was not valid within ${VALID_WITHIN_MS / 1000} s`)
}

/** Caddy's own authority has signed it, which nobody trusts; the test checks who it is for instead. */
async function connectTo(port: number, host: string): Promise<{ status: number; certificate: PeerCertificate }> {
  const options = { host: '127.0.0.1', port, servername: host, headers: { host }, rejectUnauthorized: false }
  const call = request({ ...options, timeout: 15_000 }).end()
  call.once('timeout', () => call.destroy(new Error('Caddy did not answer')))
  const [response] = await once(call, 'response')
  const certificate = (response.socket as TLSSocket).getPeerCertificate()
  response.resume()
  return { status: response.statusCode, certificate }
}
