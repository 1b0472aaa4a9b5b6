import { createServer } from 'node:http'

const version = process.env.VERSION ?? 'unset'
const port = Number(process.env.PORT ?? 3000)

const server = createServer((request, response) => {
  if (request.url === '/healthz') return response.end('ok\n')
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.end(`Hello from Berth! This is version ${version}.\n`)
})

server.listen(port, () => console.log(`listening on ${port}, version ${version}`))

// On SIGTERM: accept no new requests, finish the running ones, then exit.
process.on('SIGTERM', () => {
  console.log('stopping')
  server.close(() => process.exit(0))
  server.closeIdleConnections()
})
