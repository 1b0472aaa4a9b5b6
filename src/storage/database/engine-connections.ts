import { randomUUID } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import pg from 'pg'

const STATEMENT_TIMEOUT_MS = 600_000

const { CHAR, TEXT } = pg.types.builtins

/**
 * How the schema engine reaches PostgreSQL. Prisma's own factory is only partly used: given a connection string, its
 * shadow database silently is the main one, it drops the shadow while still connected to it, and it never closes what
 * it opened.
 */
export class EngineConnections implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres'
  readonly adapterName = '@prisma/adapter-pg'
  private readonly config: pg.PoolConfig
  private readonly pools: pg.Pool[] = []

  constructor(databaseUrl: string) {
    const { host, port, user, password, database, ssl } = new pg.Client({ connectionString: databaseUrl })
    this.config = {
      host,
      port,
      user,
      password: password ?? undefined,
      database,
      ssl,
      application_name: 'berth-migrate',
      max: 2,
      connectionTimeoutMillis: 10_000,
      lock_timeout: 30_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    }
  }

  connect(): Promise<SqlDriverAdapter> {
    return this.open(this.config.database)
  }

  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    const name = `berth_shadow_${randomUUID().replaceAll('-', '')}`
    const main = this.poolOf(this.config.database)
    await main.query(`CREATE DATABASE ${name}`)
    const shadow = await this.open(name)
    const close = shadow.dispose.bind(shadow)
    shadow.dispose = async () => {
      await close()
      await main.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await main.end()
    }
    return shadow
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.filter((pool) => !pool.ended).map((pool) => pool.end()))
  }

  private async open(database: string | undefined): Promise<SqlDriverAdapter> {
    const pool = this.poolOf(database)
    const connection = await new PrismaPg(pool, { disposeExternalPool: true }).connect()
    // The adapter splits a script at every `;`, which breaks function bodies and leaves half a migration behind when it
    // dies in the middle. Sent as one message, PostgreSQL runs it as one transaction.
    connection.executeScript = async (script) => {
      await pool.query(script)
    }
    return readingChars(connection, pool)
  }

  private poolOf(database: string | undefined): pg.Pool {
    const pool = new pg.Pool({ ...this.config, database })
    // The next statement reports a connection that broke while idle.
    pool.on('error', () => {})
    this.pools.push(pool)
    return pool
  }
}

/** The adapter refuses the catalogue's one-byte type `"char"`, which the engine queries: read it as text. */
function readingChars(connection: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  const charColumns = new WeakMap<unknown[], number[]>()
  const query = pool.query.bind(pool) as (...values: unknown[]) => Promise<pg.QueryResult>
  Object.assign(pool, {
    query: async (...values: unknown[]) => {
      const result = await query(...values)
      // A script of several statements has several results, and the engine reads none of them.
      if (Array.isArray(result)) return result
      const { fields } = result
      charColumns.set(
        result.rows,
        [...fields.keys()].filter((index) => fields[index]?.dataTypeID === CHAR),
      )
      for (const field of fields) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT
      return result
    },
  })
  const queryRaw = connection.queryRaw.bind(connection)
  connection.queryRaw = async (statement) => {
    const set = await queryRaw(statement)
    for (const index of charColumns.get(set.rows) ?? []) set.columnTypes[index] = ColumnTypeEnum.Character
    return set
  }
  return connection
}
