import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const NOTHING = JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] })

/** A registry on loopback that is open to all and has no image. */
export async function emptyRegistry(): Promise<AsyncDisposable & { address: string }> {
  const server = createServer((request, response) => {
    const isGreeting = request.url === '/v2/'
    response.writeHead(isGreeting ? 200 : 404, {
      'content-type': 'application/json',
      'docker-distribution-api-version': 'registry/2.0',
    })
    response.end(isGreeting ? '{}' : NOTHING)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
