import { connect } from 'node:net'
import pg from 'pg'

// A client of its own process: one of the loads below, for some seconds; answers with what it counted.
interface Load {
  url: string
  seconds: number
}

const CONNECTIONS = 10
const CHUNK = Buffer.alloc(64 * 1024)

/** Queries per second of a pool, each by primary key, as pgbench's select-only script. */
async function queries({ url, seconds }: Load): Promise<number> {
  const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  let count = 0
  const since = performance.now()
  const loop = async (client: pg.Client) => {
    while (performance.now() - since < seconds * 1000) {
      const id = 1 + Math.floor(Math.random() * 10_000)
      await client.query({ name: 'one', text: 'SELECT balance FROM bench WHERE id = $1', values: [id] })
      count += 1
    }
  }
  await Promise.all(clients.map(loop))
  const perSecond = count / ((performance.now() - since) / 1000)
  await Promise.all(clients.map((client) => client.end()))
  return perSecond
}

/** Bytes per second from a server that sends as fast as it can. */
async function bytes({ url, seconds }: Load): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer: CHUNK, callback: () => true } })
  await new Promise((resolve) => socket.once('connect', resolve))
  const since = performance.now()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const perSecond = socket.bytesRead / ((performance.now() - since) / 1000)
  socket.destroy()
  return perSecond
}

process.on('message', async (load: Load) => {
  process.send?.(await (load.url.startsWith('postgres') ? queries(load) : bytes(load)))
})
