import { type AddressInfo, connect, createServer } from 'node:net'

// The least that a Node.js process between client and container can do: passes bytes on, and looks at none of them. Its own
// process, as the ingress is.
const server = createServer({ noDelay: true }, (client) => {
  const app = connect({ host: '127.0.0.1', port: Number(process.argv[2]), noDelay: true })
  client.on('data', (bytes) => app.write(bytes))
  app.on('data', (bytes) => client.write(bytes))
  for (const [socket, other] of [
    [client, app],
    [app, client],
  ] as const) {
    socket.on('error', () => {})
    socket.on('close', () => other.destroy())
  }
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', () => process.send?.(process.cpuUsage()))
