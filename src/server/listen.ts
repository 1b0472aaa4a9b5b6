import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import type { ApiServer } from '../server.ts'

const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 65_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_REQUESTS_PER_SOCKET = 100_000
const DRAIN_MS = 10_000
const SWEEP_MS = 50

export interface Listening {
  /** For the websocket hook-up: it takes the `upgrade` events of this server. */
  server: Server
  url: string
  port: number
  /** Takes no new connections, lets requests end for up to 10 s, then cuts what is left. */
  close(): Promise<void>
}

interface ListenOptions {
  api: Pick<ApiServer, 'fetch' | 'drain'>
  host: string
  /** 0 picks a free one. */
  port: number
}

/** Serves the API over HTTP. Rejects when the port is taken. */
export async function listen({ api, host, port }: ListenOptions): Promise<Listening> {
  const serverOptions = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const server = createAdaptorServer({ fetch: api.fetch, serverOptions, overrideGlobalObjects: true }) as Server
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET
  server.listen(port, host)
  await once(server, 'listening')
  const { port: chosen } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return { server, port: chosen, url: `http://${name}:${chosen}`, close: () => close(server, api) }
}

async function close(server: Server, api: Pick<ApiServer, 'drain'>): Promise<void> {
  api.drain()
  const closed = once(server, 'close')
  server.close()
  // A connection that was busy is kept alive when its answer is out, and would hold the server up.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })])
  clearInterval(sweep)
  server.closeAllConnections()
  await closed
}
