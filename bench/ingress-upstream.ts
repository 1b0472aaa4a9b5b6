import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Stands for a container with the smallest possible app. Its own process, as a container is.
const body = JSON.stringify({ message: 'hello from a container' })
const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
