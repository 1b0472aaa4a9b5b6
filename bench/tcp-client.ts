import { connect } from 'node:net'
import pg from 'pg'

// A client of its own process: one of its loads, for some seconds; answers with what it counted.
export interface Load {
  url: string
  what: keyof typeof LOADS
  seconds: number
}

const CONNECTIONS = 10
/** Rows of pgbench's tables, at a scale of 10. */
const [ACCOUNTS, TELLERS, BRANCHES] = [1_000_000, 100, 10]
const CHUNK = Buffer.alloc(64 * 1024)

type Counted = (client: pg.Client) => Promise<void>

const below = (end: number) => 1 + Math.floor(Math.random() * end)

/** By primary key, as pgbench's select-only script. */
const select: Counted = async (client) => {
  await client.query({ name: 'one', text: 'SELECT balance FROM accounts WHERE id = $1', values: [below(ACCOUNTS)] })
}

/** The seven statements of pgbench's own script, one after the other. */
const transact: Counted = async (client) => {
  const [account, teller, branch, delta] = [below(ACCOUNTS), below(TELLERS), below(BRANCHES), below(5_000)]
  const run = (name: string, text: string, values: number[] = []) => client.query({ name, text, values })
  await run('begin', 'BEGIN')
  await run('account', 'UPDATE accounts SET balance = balance + $1 WHERE id = $2', [delta, account])
  await run('balance', 'SELECT balance FROM accounts WHERE id = $1', [account])
  await run('teller', 'UPDATE tellers SET balance = balance + $1 WHERE id = $2', [delta, teller])
  await run('branch', 'UPDATE branches SET balance = balance + $1 WHERE id = $2', [delta, branch])
  await run('history', 'INSERT INTO history VALUES ($1, $2, $3, $4, now())', [teller, branch, account, delta])
  await run('end', 'END')
}

/** How often a second the connections of a pool do it, each by itself. */
const repeated =
  (counted: Counted) =>
  async ({ url, seconds }: Load): Promise<number> => {
    const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: url }))
    await Promise.all(clients.map((client) => client.connect()))
    let count = 0
    const since = performance.now()
    const loop = async (client: pg.Client) => {
      while (performance.now() - since < seconds * 1000) {
        await counted(client)
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

const LOADS = { selects: repeated(select), transactions: repeated(transact), bytes }

process.on('message', async (load: Load) => {
  process.send?.(await LOADS[load.what](load))
})
