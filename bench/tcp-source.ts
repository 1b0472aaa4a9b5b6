import { type AddressInfo, createServer } from 'node:net'

// Stands for a service that streams: sends as fast as the client reads. Its own process, as a container is.
const chunk = Buffer.alloc(64 * 1024)
const server = createServer((socket) => {
  socket.on('error', () => {})
  const send = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', send)
  send()
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
