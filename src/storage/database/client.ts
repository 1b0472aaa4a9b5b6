import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from './generated/prisma/client.ts'
import { modelsOf, type Tables } from './reads/data-model.ts'
import { useInTransactions } from './reads/in-transaction.ts'
import { ReadConnections } from './reads/read-connections.ts'
import { Reader, useReader } from './reads/reader.ts'

export type Database = PrismaClient

/** The argument of the callback of `database.$transaction(async (transaction) => …)`. */
export type Transaction = Prisma.TransactionClient

export interface DatabaseOptions {
  url: string
  poolSize: number
  /** Names the sessions to other processes; `berth` unless given. */
  applicationName?: string
  /** Called with the text of every statement; tests count them. */
  onQuery?: (sql: string) => void
}

// The server gives up on a statement before Prisma gives up on its transaction: an interactive transaction that times
// out during COMMIT can crash the process.
const LOCK_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 10_000
const TRANSACTION_TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 5_000

/** They are shared by many statements at a time. */
const READ_CONNECTIONS = 4

/** A connection pool without unbounded waits: for a connection, a lock, a statement or a dead peer. */
export function createDatabase({ url, poolSize, applicationName = 'berth', onQuery }: DatabaseOptions): Database {
  const connections = {
    connectionString: url,
    application_name: applicationName,
    // The adapter drops the offset of every timestamp it reads and writes.
    options: '-c TimeZone=UTC',
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 10_000,
    lock_timeout: LOCK_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that vanished silently answers no statement at all, so the client has a timeout too.
    query_timeout: STATEMENT_TIMEOUT_MS + 2_000,
    idle_in_transaction_session_timeout: TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
  const pool = new pg.Pool(connections)
  // The pool and the adapter take turns listening for errors; a connection that breaks between two turns would crash
  // the process. The next user of the connection gets the error anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  const options = { statementNameGenerator: createStatementNames(), disposeExternalPool: true }
  const adapter = new PrismaPg(pool, options)
  const database = clientOf(adapter, onQuery)
  // Plans of the reader's statements are kept; compiling each for its first rows would take longer than reading them.
  const forReads = { ...connections, options: `${connections.options} -c jit=off` }
  const reads = new ReadConnections(forReads, Math.min(poolSize, READ_CONNECTIONS))
  const models = modelsOf(tablesOf(database))
  useReader(database, new Reader(models, reads, onQuery))
  useInTransactions(database, models)
  const disconnect = database.$disconnect.bind(database)
  database.$disconnect = async () => {
    await Promise.all([reads.close(), disconnect()])
  }
  return database
}

function clientOf(adapter: PrismaPg, onQuery: DatabaseOptions['onQuery']): Database {
  const transactionOptions = { maxWait: CONNECT_TIMEOUT_MS, timeout: TRANSACTION_TIMEOUT_MS }
  if (!onQuery) return new PrismaClient({ adapter, transactionOptions })
  const database = new PrismaClient({ adapter, transactionOptions, log: [{ emit: 'event', level: 'query' }] })
  database.$on('query', (event) => onQuery(event.query))
  return database
}

/** Names of all tables that Berth has in the database. */
export const tableNames = (database: Database): string[] =>
  Object.entries(tablesOf(database).models).map(([model, { dbName }]) => dbName ?? model)

/** Prisma keeps the names of tables and columns to itself, and has no other place for them. */
function tablesOf(database: Database): Tables {
  const { _runtimeDataModel: tables } = database as unknown as { _runtimeDataModel?: Tables }
  if (!tables) throw new Error('This version of Prisma does not expose the names of tables and columns')
  return tables
}

const SIGHTINGS_BEFORE_NAME = 5
const MAX_NAMES = 200
const MAX_CANDIDATES = 2_000

/** No name: the statement is parsed and planned for this execution only. */
const UNNAMED = ''

/**
 * Names frequent statements, so that PostgreSQL parses and plans them once per connection; for short queries that is
 * most of their time. Bounded, because each name costs memory on every connection, and lists of different lengths are
 * different statements.
 */
export function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  const sightings = new Map<string, number>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known) return known
    if (names.size >= MAX_NAMES) return UNNAMED
    const times = (sightings.get(sql) ?? 0) + 1
    if (times >= SIGHTINGS_BEFORE_NAME) {
      sightings.delete(sql)
      names.set(sql, `berth_${names.size}`)
      return names.get(sql) ?? UNNAMED
    }
    if (sightings.size >= MAX_CANDIDATES) sightings.clear()
    sightings.set(sql, times)
    return UNNAMED
  }
}
