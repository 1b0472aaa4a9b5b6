import type { IncomingMessage } from 'node:http'

// A visitor whose request was refused in the middle of its body may finish sending, within reason: closing at
// once would reset the connection, and the answer that says why would be lost with it.
const LINGER = { bytes: 16 * 1_048_576, ms: 5_000 }

/** Reads what is left of a body that nobody wants, so that the connection can go on; closes it when that is too much. */
export function discardBody(request: IncomingMessage): void {
  const { headers, socket } = request
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (!hasBody || request.readableEnded || request.destroyed) return
  let discarded = 0
  const timer = setTimeout(() => socket.destroy(), LINGER.ms).unref()
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > LINGER.bytes) socket.destroy()
  })
  request.once('close', () => clearTimeout(timer))
  request.resume()
}
