import { connect } from 'node:net'

// Asks one server for one small page by so many connections, each for the next one when it has the last one whole. As little
// work as can be, because client, server and what stands between them share the machine: what a client takes of it, the
// comparison says nothing about.
const [port = 0, seconds = 0, connections = 0] = process.argv.slice(2).map(Number)
const request = Buffer.from(`GET / HTTP/1.1\r\nHost: ${process.argv[5]}\r\nConnection: keep-alive\r\n\r\n`)
const buffer = Buffer.allocUnsafeSlow(65_536)
const END_OF_HEAD = '\r\n\r\n'

let answered = 0
let isOver = false

function ask(): void {
  let text = ''
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer,
      callback: (length) => {
        text += buffer.toString('latin1', 0, length)
        if (!isWhole(text)) return true
        text = ''
        answered += 1
        if (!isOver) socket.write(request)
        return true
      },
    },
  })
  socket.on('connect', () => socket.write(request))
  socket.on('close', () => {
    if (!isOver) throw new Error('The server closed a connection')
  })
}

/** Throws for an answer that is not 200, or longer than it says. */
function isWhole(text: string): boolean {
  const end = text.indexOf(END_OF_HEAD)
  if (end < 0) return false
  const body = text.length - end - END_OF_HEAD.length
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1])
  if (!text.startsWith('HTTP/1.1 200 ') || !(body <= length)) throw new Error(`An answer was not as expected: ${text}`)
  return body === length
}

for (let count = 0; count < connections; count += 1) ask()
const startedAt = performance.now()
setTimeout(() => {
  isOver = true
  process.stdout.write(`${(answered / (performance.now() - startedAt)) * 1000}`, () => process.exit())
}, seconds * 1000)
