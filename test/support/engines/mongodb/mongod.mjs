// Stands in for mongod. It takes the options that the description of the engine gives, and refuses others.
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { Double } from 'bson'
import { answerTo, CommandFailed } from './commands.mjs'
import { close } from './store.mjs'
import { SignInFailed } from './users.mjs'
import { answerMessage, commandOf, messages, wantsAnswer } from './wire.mjs'

const PORT = 27_017
const text = { type: 'string' }
const flag = { type: 'boolean', default: false }

const { values } = parseArgs({
  options: {
    wiredTigerCacheSizeGB: text,
    maxConns: text,
    slowms: text,
    journalCommitInterval: text,
    setParameter: { ...text, multiple: true },
    auth: flag,
    bind_ip: text,
    bind_ip_all: flag,
  },
})

async function serve(socket) {
  const connection = { isProtected: values.auth, user: null, signingIn: null, db: 'admin' }
  for await (const message of messages(socket)) {
    const answer = answered(message, connection)
    if (wantsAnswer(message)) socket.write(answerMessage(message, answer))
  }
}

function answered(message, connection) {
  try {
    return { ...answerTo(commandOf(message), connection), ok: new Double(1) }
  } catch (error) {
    if (error instanceof SignInFailed)
      return { ok: new Double(0), errmsg: error.message, code: 18, codeName: 'AuthenticationFailed' }
    const { code = 8, codeName = 'UnknownError' } = error instanceof CommandFailed ? error : {}
    return { ok: new Double(0), errmsg: error.message, code, codeName }
  }
}

const sockets = new Set()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
  serve(socket).catch(() => socket.destroy())
})
server.maxConnections = Number(values.maxConns ?? 65_536)
server.listen(PORT, values.bind_ip_all ? '0.0.0.0' : (values.bind_ip ?? '127.0.0.1'))

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    close()
    process.exit(0)
  })
