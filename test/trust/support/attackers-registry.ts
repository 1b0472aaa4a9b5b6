import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AttackersRegistry extends AsyncDisposable {
  /** `127.0.0.2:<port>`: engines trust it without TLS, and the settings of the cases list it. */
  address: string
  /** First lines of the requests that it got. */
  requests: string[]
  /** Authorization headers that it got, decoded. */
  logins: string[]
}

export const CHALLENGE = { 'www-authenticate': 'Basic realm="registry"' }

/** The address that the settings of the cases list. */
export const LISTED = '127.0.0.2'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Wants a login, and takes any: a login that its registry refuses is not saved. */
const takeAnyLogin: Answer = ({ url, headers }, response) =>
  void (url === '/v2/' && headers.authorization ? response.writeHead(200) : response.writeHead(401, CHALLENGE)).end()

/** Whatever a registry may answer. */
export async function attackersRegistry(answer: Answer = takeAnyLogin, host = LISTED): Promise<AttackersRegistry> {
  const requests: string[] = []
  const logins: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const { authorization } = request.headers
    if (authorization) logins.push(Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString())
    answer(request, response)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const { port } = server.address() as AddressInfo
  return { address: `${host}:${port}`, requests, logins, [Symbol.asyncDispose]: close }
}

/** Passes a request on to a real registry. */
export function passOn(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url } = incoming
  const outgoing = request(`http://${target}${url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  incoming.pipe(outgoing)
}
