/**
 * A web server in one expression, for an image that holds nothing but Node. It says which version answered;
 * with BROKEN=never it listens and is never ready, with BROKEN=late it is after 8 s, with BROKEN=exit it does not start.
 */
const PROGRAM = `
const { createServer } = require('node:http')
if (process.env.BROKEN === 'exit') { console.error('cannot open the safe'); process.exit(3) }
const server = createServer((request, response) => {
  const isBroken = process.env.BROKEN === 'never' || (process.env.BROKEN === 'late' && process.uptime() < 8)
  const ready = request.url !== '/healthz' || !isBroken
  response.writeHead(ready ? 200 : 503, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ version: process.env.BERTH_VERSION, colour: process.env.COLOUR ?? null, pid: process.pid }))
})
server.listen(Number(process.env.PORT), () => console.log('listening'))
process.on('SIGTERM', () => server.close(() => process.exit(0)))
`

export const sampleStartup = { command: 'node', args: ['-e', PROGRAM], shell: false }
