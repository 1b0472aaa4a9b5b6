import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { readRoutes } from './route-query.ts'
import { CurrentTable } from './route-table.ts'
import { TableFile } from './route-table-file.ts'

export interface RouteSourceOptions {
  databaseUrl: string
  /** Folder that keeps the last table. */
  dataDirectory: string
  log: Logger
  pollMs?: number
}

const CONNECT_TIMEOUT_MS = 3_000
const QUERY_TIMEOUT_MS = 5_000
const FIRST_ANSWER_WAIT_MS = 3_000
const BACK_OFF_MS = { min: 250, max: 5_000 }
/** Every client can ask for a host that does not exist: reads for such requests take a tenth of the time at most. */
const PAUSE_PER_READ = 9
const MIN_PAUSE_MS = 20
const CATCH_UP_TIMEOUT_MS = 1_000

/** A read of the table that requests wait for. */
interface AwaitedRead {
  promise: Promise<void>
  begins(): void
  ends(): void
}

/**
 * Keeps the route table up to date with the database. One connection both listens and polls. The poll notices a
 * connection that died silently, so lost notifications delay a change by one poll at most.
 */
export class RouteSource extends CurrentTable {
  private readonly options: Required<RouteSourceOptions>
  private readonly file: TableFile
  private readonly stopping = new AbortController()
  private running: Promise<void> = Promise.resolve()
  private saving: Promise<void> = Promise.resolve()
  private digest: string | null = null
  private checkedAt: number | null = null
  private wake = new AbortController()
  private isFailing = false
  private isConnected = false
  private lastRead = { endedAt: 0, ms: 0 }
  private nextRead: AwaitedRead | null = null

  constructor(options: RouteSourceOptions) {
    super()
    this.options = { pollMs: 1_000, ...options }
    this.file = new TableFile(options.dataDirectory)
  }

  /** Returns once there is a table, or none can be had for now; keeps trying in either case. */
  async start(): Promise<void> {
    const firstAnswer = new Promise<void>((resolve) => {
      this.running = this.run(resolve)
    })
    await Promise.race([firstAnswer, sleep(FIRST_ANSWER_WAIT_MS, undefined, { ref: false })])
    if (!this.table) await this.restore()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.wake.abort()
    await this.running
    await this.saving
  }

  /** Whether requests can be routed at all: from the database's table or from the one that was kept. */
  isReady(): boolean {
    return this.table !== null
  }

  /** Age of the knowledge that the table is right; Infinity while the database has never answered. */
  lagSeconds(): number {
    return this.checkedAt === null ? Number.POSITIVE_INFINITY : (performance.now() - this.checkedAt) / 1000
  }

  override caughtUp(): Promise<void> | null {
    if (!this.isConnected || this.stopping.signal.aborted) return null
    this.nextRead ??= this.readSoon()
    return this.nextRead.promise
  }

  private readSoon(): AwaitedRead {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { endedAt, ms } = this.lastRead
    const earliest = endedAt + Math.max(ms * PAUSE_PER_READ, MIN_PAUSE_MS)
    const wake = setTimeout(() => this.wake.abort(), Math.max(0, earliest - performance.now()))
    const giveUp = setTimeout(resolve, CATCH_UP_TIMEOUT_MS)
    const begins = () => clearTimeout(wake)
    const ends = () => {
      clearTimeout(giveUp)
      resolve()
    }
    return { promise, begins, ends }
  }

  private async run(onAnswer: () => void): Promise<void> {
    let backOffMs = BACK_OFF_MS.min
    while (!this.stopping.signal.aborted) {
      const startedAt = performance.now()
      await this.followDatabase(onAnswer).catch((error: NodeJS.ErrnoException) => this.failed(error))
      onAnswer()
      if (performance.now() - startedAt > BACK_OFF_MS.max) backOffMs = BACK_OFF_MS.min
      await sleep(backOffMs, undefined, { signal: this.stopping.signal }).catch(() => {})
      backOffMs = Math.min(backOffMs * 2, BACK_OFF_MS.max)
    }
  }

  /** Reads on every notification and every poll, until the connection fails or the source stops. */
  private async followDatabase(onAnswer: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.databaseUrl,
      application_name: 'berth-ingress',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      statement_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    })
    // The next query reports a broken connection; this only spares the wait for it.
    client.on('error', () => this.wake.abort())
    client.on('notification', () => this.wake.abort())
    try {
      await client.connect()
      await client.query('LISTEN berth_routes')
      while (!this.stopping.signal.aborted) {
        // Armed before the read: a notification that arrives meanwhile leads to another read.
        this.wake = new AbortController()
        await this.read(client)
        onAnswer()
        if (this.stopping.signal.aborted) break
        await sleep(this.options.pollMs, undefined, { signal: this.wake.signal }).catch(() => {})
      }
    } finally {
      this.isConnected = false
      this.takeNextRead()?.ends()
      // A peer that vanished does not say goodbye either.
      await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })])
    }
  }

  /** Said once, however long it lasts. */
  private failed(error: NodeJS.ErrnoException): void {
    const { log } = this.options
    const reason = error.message || error.code
    if (!this.isFailing) log.warn({ error: reason }, 'ingress: the routes cannot be read; the database is asked again')
    this.isFailing = true
  }

  /** Requests that arrive from now on wait for the read after this one. */
  private async read(client: pg.Client): Promise<void> {
    const awaited = this.takeNextRead()
    const startedAt = performance.now()
    try {
      await this.refresh(client)
      this.isConnected = true
    } finally {
      const endedAt = performance.now()
      this.lastRead = { endedAt, ms: endedAt - startedAt }
      awaited?.ends()
    }
  }

  private takeNextRead(): AwaitedRead | null {
    const read = this.nextRead
    this.nextRead = null
    read?.begins()
    return read
  }

  private async refresh(client: pg.Client): Promise<void> {
    const { digest, table } = await readRoutes(client, this.digest)
    if (this.isFailing) this.options.log.info('ingress: the routes are read again')
    this.isFailing = false
    this.checkedAt = performance.now()
    this.digest = digest
    if (!table) return
    failpoint('routes.read')
    this.replace(table)
    this.saving = this.saving
      .then(() => this.file.write(table))
      .catch((error: Error) => this.options.log.warn({ error: error.message }, 'ingress: the table cannot be kept'))
  }

  private async restore(): Promise<void> {
    try {
      const table = await this.file.read()
      if (!table || this.table) return
      this.replace(table)
      this.options.log.warn('ingress: PostgreSQL does not answer; routing from the last known table')
    } catch (error) {
      this.options.log.warn({ error: (error as Error).message }, 'ingress: the kept table cannot be read')
    }
  }
}
