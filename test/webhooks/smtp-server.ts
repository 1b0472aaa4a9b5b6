import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** As much of SMTP as a client speaks without TLS and login: keeps the messages it was given. */
export async function startSmtpServer() {
  const messages: string[] = []
  const sockets = new Set<Socket>()
  let refusal: string | null = null

  async function serve(socket: Socket): Promise<void> {
    sockets.add(socket)
    socket.on('error', () => {})
    const say = (line: string) => socket.write(`${line}\r\n`)
    let message: string[] | null = null
    say('220 mail.example.com ESMTP')
    for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (message) {
        if (line !== '.') message.push(line)
        else {
          messages.push(message.join('\n'))
          message = null
          say('250 2.0.0 accepted')
        }
      } else if (/^DATA/i.test(line)) {
        if (refusal) say(refusal)
        else {
          message = []
          say('354 go on')
        }
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else say('250 ok')
    }
  }

  const server = createServer((socket) => void serve(socket).catch(() => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    messages,
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What every message is answered with from now on; null: it is accepted. */
    refuse: (line: string | null) => {
      refusal = line
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
