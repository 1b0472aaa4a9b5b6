import { connect, type PeerCertificate } from 'node:tls'

const DEADLINE_MS = 5_000
const MAX_TEXT = 200

/** The certificate that a server shows for a host name; a reason where it shows none, or one that clients refuse. */
export type ServedCertificate =
  | { kind: 'shown'; issuer: string | null; validFrom: Date; validTo: Date; problem: string | null }
  | { kind: 'none'; reason: string }
  | { kind: 'unreachable'; reason: string }

interface Server {
  /** Address or name of the server, and its port. */
  address: string
  port: number
  /** The name that the handshake asks for. */
  host: string
}

/** Failures before the handshake: they say nothing of certificates. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'])

/** Asks a server for the certificate of a host by a TLS handshake, and sends nothing else. */
export function readServedCertificate({ address, port, host }: Server): Promise<ServedCertificate> {
  return new Promise((resolve) => {
    // A certificate that no client trusts is shown as it is, with the problem.
    const socket = connect({ host: address, port, servername: host, rejectUnauthorized: false })
    const end = (found: ServedCertificate) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(found)
    }
    const late = `The server did not answer within ${DEADLINE_MS / 1000} seconds`
    const timer = setTimeout(() => end({ kind: 'unreachable', reason: late }), DEADLINE_MS)
    socket.once('secureConnect', () => {
      const error: unknown = socket.authorizationError
      const problem = error ? String((error as { code?: string }).code ?? error).slice(0, MAX_TEXT) : null
      end(shownBy(socket.getPeerCertificate(), problem))
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const isReached = !UNREACHED.has(error.code ?? '')
      const reason = (isReached ? `The handshake failed: ${error.message}` : error.message).slice(0, MAX_TEXT)
      end({ kind: isReached ? 'none' : 'unreachable', reason })
    })
  })
}

function shownBy(certificate: PeerCertificate, problem: string | null): ServedCertificate {
  const { issuer, valid_from: from, valid_to: to } = certificate
  if (!from) return { kind: 'none', reason: 'The server shows no certificate' }
  const name = [issuer.O, issuer.CN].flat().find((part) => part !== undefined)
  return {
    kind: 'shown',
    issuer: name?.slice(0, MAX_TEXT) ?? null,
    validFrom: new Date(from),
    validTo: new Date(to),
    problem,
  }
}
