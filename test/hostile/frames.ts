import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface FrameOptions {
  opcode?: number
  fin?: boolean
  /** The three reserved bits. */
  rsv?: number
  masked?: boolean
}

const MASK = Buffer.from([1, 2, 3, 4])

/** One WebSocket frame (RFC 6455 §5.2), right or wrong. */
export function frame(payload: string | Buffer, { opcode = 1, fin = true, rsv = 0, masked = true }: FrameOptions = {}) {
  const bytes = Buffer.from(payload)
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode
  const bit = masked ? 0x80 : 0
  const head =
    bytes.length < 126
      ? Buffer.from([first, bit | bytes.length])
      : Buffer.concat([Buffer.from([first, bit | 127]), lengthOf(bytes.length)])
  if (!masked) return Buffer.concat([head, bytes])
  return Buffer.concat([head, MASK, bytes.map((byte, index) => byte ^ (MASK[index % 4] ?? 0))])
}

function lengthOf(size: number): Buffer {
  const eight = Buffer.alloc(8)
  eight.writeBigUInt64BE(BigInt(size))
  return eight
}

export const json = (message: unknown, options?: FrameOptions): Buffer => frame(JSON.stringify(message), options)

const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

/** A connection after its handshake, on which any bytes can be sent. */
export async function openRawSocket(port: number, protocol = 'graphql-transport-ws'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const lines = ['GET /graphql HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket']
  const offer = protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : []
  socket.write([...lines, `Sec-WebSocket-Key: ${KEY}`, 'Sec-WebSocket-Version: 13', ...offer, '', ''].join('\r\n'))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  const text = answer.toString('latin1')
  if (!text.startsWith('HTTP/1.1 101')) throw new Error(`No handshake: ${text.slice(0, 40)}`)
  socket.pause()
  // What came in the same packet as the handshake belongs to what follows.
  const end = text.indexOf('\r\n\r\n') + 4
  if (end < answer.length) socket.unshift(answer.subarray(end))
  return socket
}

const PATIENCE_MS = 5_000

/** Waits for some answer, which is still there to be read then. */
export async function answered(socket: Socket): Promise<void> {
  if (socket.closed) return
  socket.resume()
  const received = new Promise<Buffer | null>((resolve) => {
    socket.once('data', resolve)
    socket.once('close', () => resolve(null))
  })
  const chunk = await Promise.race([received, sleep(PATIENCE_MS, null, { ref: false })])
  socket.pause()
  if (chunk && !socket.closed) socket.unshift(chunk)
}

/** What RFC 6455 calls an end without a close. */
const ABNORMAL = 1006

/** The close code that comes, and the text of frames until then, or until there is enough of it. */
export async function untilClosed(
  socket: Socket,
  timeoutMs: number,
  enough?: string,
): Promise<{ code: number | null; text: string }> {
  let isCut = true
  const leave = () => {
    isCut = false
    socket.destroy()
  }
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    if (enough && bytes.includes(enough)) leave()
  })
  socket.resume()
  const late = setTimeout(leave, timeoutMs)
  // Who was cut off before this is closed already, and says so no more.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  clearTimeout(late)
  return { code: closeCodeIn(bytes) ?? (isCut ? ABNORMAL : null), text: bytes.toString('latin1') }
}

/** Reads frames of a server, which are not masked, until one that closes. */
function closeCodeIn(bytes: Buffer): number | null {
  for (let at = 0; at + 2 <= bytes.length; ) {
    const opcode = (bytes[at] ?? 0) & 15
    const short = (bytes[at + 1] ?? 0) & 127
    const [start, size] =
      short < 126
        ? [2, short]
        : short === 126
          ? [4, bytes.readUInt16BE(at + 2)]
          : [10, Number(bytes.readBigUInt64BE(at + 2))]
    if (opcode === 8) return size >= 2 ? bytes.readUInt16BE(at + start) : 1005
    at += start + size
  }
  return null
}
