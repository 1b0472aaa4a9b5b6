// What tests deploy, without any dependency. The first argument says what it does:
//   serve   answers on PORT
//   work    listens nowhere: writes a line now and then; ends as CRASH says
//   job     writes a line for each argument, and ends with the code EXIT
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'

const [task = 'serve', ...args] = process.argv.slice(2)
const { RELEASE = 'none', GREETING = '', CRASH = '', EXIT = '0', HOSTNAME = '' } = process.env

process.on('SIGTERM', () => process.exit(0))

if (task === 'serve') serve()
if (task === 'work') work()
if (task === 'job') job()

const answers = {
  '/': () => JSON.stringify({ release: RELEASE, greeting: GREETING, container: HOSTNAME }),
  '/healthz': () => 'ok',
  '/exit': () => process.exit(7),
  '/note': ({ searchParams }) => note(searchParams.get('keep')),
  '/redis': ({ searchParams }) => redis(process.env.REDIS_URL ?? '', searchParams.getAll('say')),
}

function serve() {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://app')
    if (url.pathname === '/ticks') return ticks(response)
    const answer = answers[url.pathname]
    if (!answer) return response.writeHead(404).end('no such path')
    try {
      const text = await answer(url)
      response.end(text)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  // Echoes whatever protocol it is upgraded to.
  server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n')
    socket.on('error', () => {})
    socket.pipe(socket)
  })
  server.listen(Number(process.env.PORT), () => console.log(`serving release ${RELEASE}`))
}

function ticks(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const ticking = setInterval(() => response.write(`data: ${Date.now()}\n\n`), 50)
  response.once('close', () => clearInterval(ticking))
}

/** A file on the volume, which outlives containers. */
function note(keep) {
  if (keep !== null) writeFileSync('/data/note', keep)
  return existsSync('/data/note') ? readFileSync('/data/note', 'utf8') : 'nothing'
}

/** Says a command to Redis, by its wire protocol, and returns the last line of the answer. */
function redis(address, command) {
  const { hostname, port, username, password } = new URL(address)
  const said = (words) =>
    `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
  const login = password ? [['AUTH', ...(username ? [username] : []), decodeURIComponent(password)]] : []
  return new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect(Number(port || 6379), hostname, () =>
      socket.write([...login, command, ['QUIT']].map(said).join('')),
    )
    socket.setTimeout(5_000, () => socket.destroy(new Error('Redis does not answer')))
    socket.on('data', (chunk) => {
      heard += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      // The last +OK answers QUIT.
      const lines = heard.trim().split('\r\n').slice(0, -1)
      const last = lines.at(-1) ?? ''
      if (heard.includes('-ERR') || heard.includes('-WRONGPASS') || heard.includes('-NOAUTH')) reject(new Error(heard))
      else resolve(last.replace(/^[+:]/, ''))
    })
  })
}

function work() {
  console.log(`working, release ${RELEASE}`)
  setInterval(() => console.log('work goes on'), 500)
  if (CRASH === '') return
  setTimeout(() => {
    console.error('the work has broken off')
    process.exit(9)
  }, Number(CRASH))
}

function job() {
  for (const arg of args) console.log(`done: ${arg}`)
  if (args.includes('forever')) setInterval(() => {}, 1_000)
  else process.exitCode = Number(EXIT)
}
