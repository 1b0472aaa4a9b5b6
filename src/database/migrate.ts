import pg from 'pg'
import { NO_FILTER, readMigrations, withSchemaEngine } from './schema-engine.ts'

// An arbitrary number that nothing else in the database locks.
const MIGRATION_LOCK = 7_236_784_001

export interface MigrateOptions {
  /** How long to wait for another process that is migrating the same database. */
  lockTimeoutSeconds?: number
}

/**
 * Migrates the database to the newest version and returns the names of the migrations it applied. Any number of
 * processes may call it at once: they take turns, and the later ones find nothing left to do.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { lockTimeoutSeconds = 120 } = options
  const lock = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'berth-migrate',
    connectionTimeoutMillis: 10_000,
    lock_timeout: lockTimeoutSeconds * 1000,
    keepAlive: true,
  })
  // A connection that breaks while the migration runs releases the lock; the next statement reports it.
  lock.on('error', () => {})
  await lock.connect()
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await applyMigrations(databaseUrl)
  } finally {
    await lock.end()
  }
}

async function applyMigrations(databaseUrl: string): Promise<string[]> {
  const migrationsList = await readMigrations()
  return withSchemaEngine(databaseUrl, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: NO_FILTER })
    return appliedMigrationNames
  })
}
