import type { Socket } from 'node:net'
import { isWithheld } from './request-head.ts'

/** One chunk of a body (RFC 9112 §7.1), by one write. False: wait for the socket to drain. */
export function writeChunk(socket: Socket, bytes: Buffer): boolean {
  socket.cork()
  socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1')
  socket.write(bytes)
  const isWanted = socket.write('\r\n', 'latin1')
  socket.uncork()
  return isWanted
}

const FORBIDDEN_TRAILER = /^(?:content-length|transfer-encoding|connection|host|set-cookie|x-berth-.*|x-request-id)$/i

/** Without the trailers that may not be any (RFC 9110 §6.5.1): a proxy behind us could take them for framing. */
export const trailersOfApp = (trailers: readonly string[]): string[] =>
  withoutNamed(trailers, (name) => FORBIDDEN_TRAILER.test(name))

/** The same of a client: none that would say something about framing, routing or the sender. */
export const trailersOfClient = (trailers: readonly string[]): string[] =>
  withoutNamed(trailers, (name) => isWithheld(name.toLowerCase()))

const withoutNamed = (trailers: readonly string[], isForbidden: (name: string) => boolean): string[] =>
  trailers.filter((_, index) => !isForbidden(trailers[index - (index % 2)] as string))
