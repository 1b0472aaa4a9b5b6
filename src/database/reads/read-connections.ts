import type { Writable } from 'node:stream'
import pg from 'pg'
import { ConnectionLost } from '../away.ts'
import { JsonQuery, type TextRow } from './json-query.ts'

type Settings = Omit<pg.ClientConfig, 'pipeline'> & { idleTimeoutMillis: number }

interface Lane {
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
  readonly #lanes = new Set<Lane>()
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
    const lane = this.#leastBusy()
    lane.waiting += 1
    try {
      if (lane.connecting) await lane.connecting
      return await send(lane, asked)
    } finally {
      lane.waiting -= 1
      if (this.#lanes.has(lane)) lane.idle.refresh()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const lanes = [...this.#lanes]
    this.#lanes.clear()
    await Promise.all(lanes.map(end))
  }

  /** Another connection is opened only when all of them have something to do. */
  #leastBusy(): Lane {
    let best: Lane | null = null
    for (const lane of this.#lanes) if (!best || lane.waiting < best.waiting) best = lane
    return best && (best.waiting === 0 || this.#lanes.size >= this.#size) ? best : this.#open()
  }

  #open(): Lane {
    const client = new pg.Client({ ...this.#settings, pipeline: true })
    const endIdle = () => {
      if (lane.waiting > 0) return
      leave()
      void end(lane)
    }
    const idle = setTimeout(endIdle, this.#settings.idleTimeoutMillis).unref()
    const lane: Lane = { client, connecting: null, waiting: 0, idle, isCorked: false }
    const leave = () => {
      clearTimeout(idle)
      this.#lanes.delete(lane)
    }
    // Its statements get the error; the next ones get another connection.
    client.on('error', leave)
    client.on('end', leave)
    lane.connecting = client.connect().then(
      () => {
        lane.connecting = null
      },
      (error) => {
        leave()
        throw new ConnectionLost('The database cannot be reached', { cause: error })
      },
    )
    this.#lanes.add(lane)
    return lane
  }
}

async function end({ client, idle }: Lane): Promise<void> {
  clearTimeout(idle)
  await client.end().catch(() => {})
}

function send(lane: Lane, asked: Asked): Promise<TextRow[]> {
  cork(lane)
  return new Promise((resolve, reject) => {
    lane.client.query(new JsonQuery(asked, (error, rows) => (error ? reject(asLost(error)) : resolve(rows))))
  })
}

/** Requests of one turn are sent by one write, which costs as much as a request. */
function cork(lane: Lane): void {
  if (lane.isCorked) return
  const { stream } = (lane.client as unknown as { connection: { stream: Writable } }).connection
  lane.isCorked = true
  stream.cork()
  setImmediate(() => {
    lane.isCorked = false
    stream.uncork()
  })
}

/** All but what PostgreSQL answered to the statement itself. */
const asLost = (error: Error) => ('severity' in error ? error : new ConnectionLost(error.message, { cause: error }))
