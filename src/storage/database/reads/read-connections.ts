import type { Writable } from 'node:stream'
import pg from 'pg'
import { ConnectionLost } from '../away.ts'
import { JsonQuery, type TextRow } from './json-query.ts'

type Settings = Omit<pg.ClientConfig, 'pipeline'> & { idleTimeoutMillis: number }

interface Connection {
  client: pg.Client
  /** Null once it is connected. */
  connecting: Promise<void> | null
  /** Statements that have no answer yet. */
  waiting: number
  /** Ends the connection once it has been idle. */
  idle: NodeJS.Timeout
  /** Whether what is sent in this turn is being held back, to be written at once. */
  isCorked: boolean
}

interface Asked {
  name: string
  text: string
  values: unknown[]
}

/**
 * Connections on which statements are sent without waiting for the answers of those before them. They carry single
 * statements only: nothing is locked, and no state is kept from one to the next.
 */
export class ReadConnections {
  readonly #settings: Settings
  readonly #size: number
  readonly #connections = new Set<Connection>()
  #closed = false

  /** Connects when something is read. Every statement has the deadlines of `settings`. */
  constructor(settings: Settings, size: number) {
    this.#settings = settings
    this.#size = size
  }

  /** The JSON that the statement answers with; null when there is no row. */
  async ask(asked: Asked): Promise<string | null> {
    const [row] = await this.askRows(asked)
    return row?.[0] ?? null
  }

  async askRows(asked: Asked): Promise<TextRow[]> {
    if (this.#closed) throw new ConnectionLost('The database client was disconnected')
    const connection = this.#leastBusy()
    connection.waiting += 1
    try {
      if (connection.connecting) await connection.connecting
      return await send(connection, asked)
    } finally {
      connection.waiting -= 1
      if (this.#connections.has(connection)) connection.idle.refresh()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const connections = [...this.#connections]
    this.#connections.clear()
    await Promise.all(connections.map(end))
  }

  /** Another connection is opened only when all of them have something to do. */
  #leastBusy(): Connection {
    let best: Connection | null = null
    for (const connection of this.#connections) if (!best || connection.waiting < best.waiting) best = connection
    return best && (best.waiting === 0 || this.#connections.size >= this.#size) ? best : this.#open()
  }

  #open(): Connection {
    const client = new pg.Client({ ...this.#settings, pipeline: true })
    const endIdle = () => {
      if (connection.waiting > 0) return
      leave()
      void end(connection)
    }
    const idle = setTimeout(endIdle, this.#settings.idleTimeoutMillis).unref()
    const connection: Connection = { client, connecting: null, waiting: 0, idle, isCorked: false }
    const leave = () => {
      clearTimeout(idle)
      this.#connections.delete(connection)
    }
    // Its statements get the error; the next ones get another connection.
    client.on('error', leave)
    client.on('end', leave)
    connection.connecting = client.connect().then(
      () => {
        connection.connecting = null
      },
      (error) => {
        leave()
        throw new ConnectionLost('The database cannot be reached', { cause: error })
      },
    )
    this.#connections.add(connection)
    return connection
  }
}

async function end({ client, idle }: Connection): Promise<void> {
  clearTimeout(idle)
  await client.end().catch(() => {})
}

function send(connection: Connection, asked: Asked): Promise<TextRow[]> {
  cork(connection)
  return new Promise((resolve, reject) => {
    connection.client.query(new JsonQuery(asked, (error, rows) => (error ? reject(asLost(error)) : resolve(rows))))
  })
}

/** Requests of one turn are sent by one write, which costs as much as a request. */
function cork(connection: Connection): void {
  if (connection.isCorked) return
  const { stream } = (connection.client as unknown as { connection: { stream: Writable } }).connection
  connection.isCorked = true
  stream.cork()
  setImmediate(() => {
    connection.isCorked = false
    stream.uncork()
  })
}

/** All but what PostgreSQL answered to the statement itself. */
const asLost = (error: Error) => ('severity' in error ? error : new ConnectionLost(error.message, { cause: error }))
