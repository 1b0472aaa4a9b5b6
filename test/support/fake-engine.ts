import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface EngineAnswer {
  status?: number
  headers?: Record<string, string>
  /** A text is sent as it is. */
  body: unknown
}

export interface FakeEngine extends AsyncDisposable {
  host: string
  /** `GET /version`, without a query, as often as it was asked. */
  requests: string[]
}

/** An engine that answers as `answer` says, for what no engine of a test machine says on demand. */
export async function fakeEngine(answer: (request: string, url: URL) => EngineAnswer): Promise<FakeEngine> {
  const requests: string[] = []
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://engine')
    const request = `${incoming.method} ${url.pathname}`
    requests.push(request)
    const { status = 200, headers = {}, body } = answer(request, url)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `tcp://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
