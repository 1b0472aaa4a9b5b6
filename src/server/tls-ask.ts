import { answer, type ServerContext } from '../http/context.ts'

/** Whether a host is routed, as far as the ingress of this process knows. */
export type KnowsHost = (host: string) => boolean

/**
 * Caddy asks this before it requests a certificate for a host that a client has named: 200 for a routed host, 404 for
 * any other. On the internal listener only, where no client can try names.
 */
export function answerTlsAsk(c: ServerContext, knowsHost: KnowsHost): Response {
  const host = (c.req.query('domain') ?? '').toLowerCase()
  const isKnown = knowsHost(host)
  return answer(c, isKnown ? 200 : 404, isKnown ? 'routed' : 'unknown', { 'Content-Type': 'text/plain; charset=utf-8' })
}
