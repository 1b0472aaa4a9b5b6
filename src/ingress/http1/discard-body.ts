import type { IncomingMessage } from 'node:http'

// When a request is refused in the middle of its body, the client may finish sending, within limits: closing at once
// would reset the connection, and the client would lose the answer that says why.
const LINGER = { bytes: 16 * 1_048_576, ms: 5_000 }

/**
 * Reads the rest of a body that nobody wants, so that the connection can be reused; closes it when the rest is too
 * long.
 */
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
