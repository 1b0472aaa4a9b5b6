import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { pack } from 'tar-stream'
import { finished } from '../../../scripts/base-image.ts'
import { startRegistry } from '../../support/docker-registry.ts'

const LAYER_BYTES = 6_000_000
const BYTES_A_SECOND = 3_000_000

export interface SlowRegistry extends AsyncDisposable {
  /** Pushes an image that no engine has, and returns its name. */
  newImage(): Promise<string>
}

/** A real registry behind a slow line, so that a pull takes about two seconds. */
export async function startSlowRegistry(docker: Docker, base: string): Promise<SlowRegistry> {
  const registry = await startRegistry({ isOpen: true })
  const line = await slowLine(registry.address)
  return {
    async newImage() {
      const name = `${registry.address}/crash/app:${randomBytes(4).toString('hex')}`
      await finished(docker, await docker.buildImage(context(base), { t: name }))
      await finished(docker, await docker.getImage(name).push({ authconfig: {} }))
      await docker.getImage(name).remove({ force: true })
      return name.replace(registry.address, line.address)
    },
    async [Symbol.asyncDispose]() {
      await line.close()
      await registry[Symbol.asyncDispose]()
    },
  }
}

/** A layer of its own that does not compress: nothing of the image is on the engine already. */
function context(base: string): NodeJS.ReadableStream {
  const archive = pack()
  archive.entry({ name: 'Dockerfile' }, `FROM ${base}\nCOPY weight /weight\n`)
  archive.entry({ name: 'weight' }, randomBytes(LAYER_BYTES))
  archive.finalize()
  return archive as unknown as NodeJS.ReadableStream
}

async function slowLine(address: string): Promise<{ address: string; close(): Promise<void> }> {
  const [host, port] = address.split(':')
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const registry = createConnection(Number(port), host)
    for (const socket of [client, registry]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    client.pipe(registry)
    client.once('close', () => registry.destroy())
    void trickle(registry, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function trickle(from: Socket, to: Socket): Promise<void> {
  try {
    for await (const chunk of from) {
      to.write(chunk)
      await pause(((chunk as Buffer).length / BYTES_A_SECOND) * 1000)
    }
    to.end()
  } catch {
    to.destroy()
  }
}
