import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to the database that can be closed, as if PostgreSQL had gone away, and frozen, as if the network had. */
export async function openGate(databaseUrl: string) {
  const behind = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((near) => {
    if (!isOpen) return void near.destroy()
    const far = connect(Number(behind.port), behind.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = `${(server.address() as AddressInfo).port}`
  const breakConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    connections: () => sockets.size / 2,
    open() {
      isOpen = true
    },
    close() {
      isOpen = false
      breakConnections()
    },
    /** Open connections go silent: nothing passes any more, and no end is signalled. */
    freeze() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async dispose() {
      server.close()
      breakConnections()
      await once(server, 'close')
    },
  }
}
