/**
 * ?ms=… answers late, /stream sends a line every 100 ms until the client leaves, /hang never, /count how often and how many at a time it was asked, /upload how much it got;
 * an upgrade is echoed. BROKEN=exit: ends at once. START_MS: when it listens.
 */
export const FUNCTION_PROGRAM = `
const { createServer } = require('node:http')
if (process.env.BROKEN === 'exit') { console.error('cannot open the safe'); process.exit(3) }
let asked = 0, now = 0, most = 0
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://x')
  asked += 1; now += 1; most = Math.max(most, now)
  response.once('close', () => { now -= 1 })
  if (url.pathname === '/hang') return
  if (url.pathname === '/stream') {
    const ticking = setInterval(() => response.write('tick\\n'), 100)
    response.once('close', () => clearInterval(ticking))
    return void response.write('tick\\n')
  }
  if (url.pathname === '/count') return void response.end(JSON.stringify({ asked, most }))
  if (url.pathname === '/upload') {
    let bytes = 0
    const hash = require('node:crypto').createHash('sha256')
    request.on('data', (chunk) => { bytes += chunk.length; hash.update(chunk) })
    request.on('end', () => response.end(JSON.stringify({ bytes, sha256: hash.digest('hex') })))
    return
  }
  setTimeout(() => response.end(process.env.HOSTNAME), Number(url.searchParams.get('ms') ?? 0))
})
server.on('upgrade', (request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n')
  socket.on('error', () => {})
  socket.pipe(socket)
})
setTimeout(() => server.listen(Number(process.env.PORT)), Number(process.env.START_MS ?? 0))
process.on('SIGTERM', () => process.exit(0))
`
