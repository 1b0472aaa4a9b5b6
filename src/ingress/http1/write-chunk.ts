import type { Socket } from 'node:net'

/** One chunk of a body (RFC 9112 §7.1), by one write. False: wait for the socket to drain. */
export function writeChunk(socket: Socket, bytes: Buffer): boolean {
  socket.cork()
  socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1')
  socket.write(bytes)
  const isWanted = socket.write('\r\n', 'latin1')
  socket.uncork()
  return isWanted
}
