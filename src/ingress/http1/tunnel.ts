import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { ResponseHead } from '../upstreams/response-head.ts'
import type { UpstreamConnection } from '../upstreams/upstream-connection.ts'

export interface TunnelOptions {
  visitor: Socket
  connection: UpstreamConnection
  head: ResponseHead
  requestId: string
  /** What either side sent before the tunnel stood. */
  fromVisitor: Buffer
  fromApp: Buffer
  idleMs: number
  onClose(): void
}

/**
 * Joins visitor and app after a protocol switch. Bytes go both ways at the pace of the slower side; each
 * direction ends by itself; a side that breaks takes the other with it, as a reset: it is no regular end.
 * Throws when the app's head has a header that cannot be passed on.
 */
export function openTunnel(options: TunnelOptions): void {
  const { visitor, connection, fromVisitor, fromApp, idleMs, onClose } = options
  const app = connection.socket
  visitor.write(switchingHead(options), 'latin1')
  if (fromApp.length > 0) visitor.write(Buffer.from(fromApp))
  if (fromVisitor.length > 0) app.write(fromVisitor)

  // Whatever passes in either direction is seen on the visitor's side.
  visitor.setTimeout(idleMs, () => visitor.destroy())
  connection.switchTo((bytes) => visitor.write(Buffer.from(bytes)))
  visitor.on('drain', () => connection.resume())
  visitor.on('data', (chunk: Buffer) => {
    if (!app.write(chunk)) visitor.pause()
  })
  app.on('drain', () => visitor.resume())
  // A visitor may have said all there is to say before the app switched.
  if (visitor.readableEnded) app.end()
  else visitor.once('end', () => app.end())
  app.once('end', () => visitor.end())
  visitor.once('close', (hadError) => {
    if (hadError || !visitor.readableEnded) app.resetAndDestroy()
    else app.destroySoon()
  })
  app.once('close', (hadError) => {
    if (hadError || !app.readableEnded) visitor.resetAndDestroy()
    else visitor.destroySoon()
    onClose()
  })
}

function switchingHead({ head, requestId }: TunnelOptions): string {
  let lines = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n'
  const headers = ['Upgrade', head.upgrade ?? '', ...head.headers, 'X-Request-Id', requestId]
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string]
    validateHeaderName(name)
    validateHeaderValue(name, value)
    lines += `${name}: ${value}\r\n`
  }
  return `${lines}\r\n`
}
