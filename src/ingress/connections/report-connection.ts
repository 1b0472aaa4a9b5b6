import pg from 'pg'

const CONNECT_TIMEOUT_MS = 3_000
const QUERY_TIMEOUT_MS = 3_000

/** A connection to the database by which an ingress reports: made when it is needed, and made again once it has failed. */
export class ReportConnection {
  private readonly databaseUrl: string
  private readonly name: string
  private client: pg.Client | null = null

  constructor(databaseUrl: string, name: string) {
    this.databaseUrl = databaseUrl
    this.name = name
  }

  /** The one that there is, or a new one. Throws when the database does not answer. */
  async get(): Promise<pg.Client> {
    if (this.client) return this.client
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      application_name: this.name,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      statement_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    })
    client.on('error', () => this.drop(client))
    try {
      await client.connect()
      // Reports come every few seconds: none is worth waiting for a disk.
      await client.query('SET synchronous_commit = off')
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    this.client = client
    return client
  }

  /** Null while there is none. */
  get current(): pg.Client | null {
    return this.client
  }

  /** Call it when a query has failed. */
  drop(client = this.client): void {
    if (this.client === client) this.client = null
    client?.end().catch(() => {})
  }

  async close(): Promise<void> {
    const { client } = this
    this.client = null
    await client?.end().catch(() => {})
  }
}
