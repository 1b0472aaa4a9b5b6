import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ToldStatus {
  path: string
  headers: Record<string, unknown>
  body: Record<string, unknown>
}

/** The API of a git host, which takes every status until it is told otherwise. */
export async function startStatusHost() {
  const told: ToldStatus[] = []
  const state: { answer: (response: ServerResponse) => void } = { answer: (response) => response.writeHead(201).end() }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) }
    told.push(one)
    if (one.path.endsWith('/access_tokens'))
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"token":"ghs_minted"}')
    else state.answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    told,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(status: number, headers: Record<string, string> = {}) {
      state.answer = (response) => void response.writeHead(status, headers).end()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
