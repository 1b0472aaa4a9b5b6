import type { Socket } from 'node:net'
import { joinEnds } from '../connections/join-ends.ts'
import type { ResponseHead } from '../upstreams/response-head.ts'
import type { UpstreamConnection } from '../upstreams/upstream-connection.ts'
import { headerLines } from './client-answer.ts'

export interface TunnelOptions {
  client: Socket
  connection: UpstreamConnection
  head: ResponseHead
  requestId: string
  /** What either side sent before the tunnel stood. */
  fromClient: Buffer
  fromApp: Buffer
  /** Without a byte either way, it is closed. */
  idleMs: number
  /** After this long a silence, TCP asks whether the app is there. The client's connection has it already. */
  keepAliveMs: number
  onClose(): void
}

/** Joins client and app after a protocol switch. Bytes go both ways at the pace of the slower side. */
export function openTunnel(options: TunnelOptions): void {
  const { client, connection, fromClient, fromApp, idleMs, keepAliveMs, onClose } = options
  const app = connection.socket
  client.write(switchingHead(options), 'latin1')
  if (fromApp.length > 0) client.write(Buffer.from(fromApp))
  if (fromClient.length > 0) app.write(fromClient)

  app.setKeepAlive(true, keepAliveMs)
  // Traffic in both directions shows on the client's side.
  client.setTimeout(idleMs, () => client.destroy())
  connection.switchTo((bytes) => client.write(Buffer.from(bytes)))
  client.on('drain', () => connection.resume())
  client.on('data', (chunk: Buffer) => {
    if (!app.write(chunk)) client.pause()
  })
  app.on('drain', () => client.resume())
  joinEnds(client, app)
  app.once('close', onClose)
}

function switchingHead({ head, requestId }: TunnelOptions): string {
  const headers = ['Connection', 'Upgrade', 'Upgrade', head.upgrade ?? '', ...head.headers, 'X-Request-Id', requestId]
  return `HTTP/1.1 101 Switching Protocols\r\n${headerLines(headers)}\r\n`
}
