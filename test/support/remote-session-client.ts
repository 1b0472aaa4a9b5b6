import { once } from 'node:events'
import { WebSocket } from 'ws'
import { CHANNEL, EXEC_PROTOCOL, onChannel, TUNNEL_PROTOCOL } from '../../src/domain/remote-session.ts'

interface ClientOptions {
  protocol?: string
  headers?: Record<string, string>
  /** False: only counts what it gets. */
  keep?: boolean
}

/** A client of remote sessions, as a program of a user would be one. */
export async function openSession(
  url: string,
  { protocol = EXEC_PROTOCOL, headers = {}, keep = true }: ClientOptions = {},
) {
  const socket = new WebSocket(url, [protocol], { headers })
  const outputs: Record<number, Buffer[]> = {}
  let bytes = 0
  // biome-ignore lint/suspicious/noExplicitAny: tests read a status of any shape.
  let status: any = null
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) status = JSON.parse(data.toString())
    else if (protocol === TUNNEL_PROTOCOL) take(CHANNEL.STDOUT, data)
    else if (data[0] === CHANNEL.STATUS) status = JSON.parse(data.subarray(1).toString())
    else take(data[0] ?? -1, data.subarray(1))
  })
  const take = (channel: number, content: Buffer) => {
    bytes += content.length
    if (!keep) return
    const before = outputs[channel] ?? []
    before.push(content)
    outputs[channel] = before
  }
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }))
  await Promise.race([once(socket, 'open'), once(socket, 'error').then(([error]) => Promise.reject(error))])
  const textOf = (channel: number) => Buffer.concat(outputs[channel] ?? []).toString('utf8')
  return {
    socket,
    closed,
    get status() {
      return status
    },
    get bytes() {
      return bytes
    },
    get stdout() {
      return textOf(CHANNEL.STDOUT)
    },
    get stderr() {
      return textOf(CHANNEL.STDERR)
    },
    received: () => Buffer.concat(outputs[CHANNEL.STDOUT] ?? []),
    /** To the standard input of a command. */
    type: (text: string | Buffer) => socket.send(onChannel(CHANNEL.STDIN, Buffer.from(text))),
    endInput: () => socket.send(Buffer.of(CHANNEL.CLOSE, CHANNEL.STDIN)),
    resize: (columns: number, rows: number) =>
      socket.send(onChannel(CHANNEL.RESIZE, Buffer.from(JSON.stringify({ Width: columns, Height: rows })))),
    signal: (name: string) => socket.send(onChannel(CHANNEL.SIGNAL, Buffer.from(name))),
    send: (bytes: Buffer) => socket.send(bytes),
    close: () => socket.close(),
  }
}
