import type { ClientBase } from 'pg'
import pg from 'pg'
import { INGRESS } from './database-roles.ts'
import { refuseNewerSchema } from './newer-schema.ts'
import { findMissingRights, grantsOf, INGRESS_RIGHTS, quoted } from './rights.ts'
import { migrationNames, NO_FILTER, readMigrations, withSchemaEngine } from './schema-engine.ts'

// An arbitrary number that nothing else in the database locks.
const MIGRATION_LOCK = 7_236_784_001

export interface MigrateOptions {
  /** How long to wait for another process that is migrating the same database. */
  lockTimeoutSeconds?: number
}

/**
 * Migrates the database to the newest version and returns the names of the migrations it applied. Throws when a newer
 * program has migrated it further. Any number of
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
    const isNew = !(await hasMigrations(lock))
    if (!isNew) await refuseNewerSchema(lock)
    // Loading the engine takes a third of a start, and most starts find nothing to do.
    const applied = !isNew && (await isNewest(lock)) ? [] : await applyMigrations(databaseUrl)
    await grantIngressRights(lock)
    return applied
  } finally {
    await lock.end()
  }
}

async function hasMigrations(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  )
  return rows[0]?.exists ?? false
}

/** The newest migration of a database that this program is about to migrate; null where it is not, or has none yet. */
export async function migrationBefore(databaseUrl: string): Promise<string | null> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    if (!(await hasMigrations(client)) || (await isNewest(client))) return null
    const { rows } = await client.query<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations
       WHERE rolled_back_at IS NULL AND finished_at IS NOT NULL ORDER BY migration_name DESC LIMIT 1`,
    )
    return rows[0]?.name ?? null
  } finally {
    await client.end()
  }
}

/** By the engine's own rule: nothing is unapplied, and nothing failed half-way, which the engine then reports. */
async function isNewest(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ name: string; finished: boolean }>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  )
  const applied = new Set(rows.map(({ name }) => name))
  return rows.every(({ finished }) => finished) && (await migrationNames()).every((name) => applied.has(name))
}

async function applyMigrations(databaseUrl: string): Promise<string[]> {
  const migrationsList = await readMigrations()
  return withSchemaEngine(databaseUrl, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: NO_FILTER })
    return appliedMigrationNames
  })
}

/** What a role was given itself on tables of Berth. `$1`: the role. */
const GIVEN = `
  SELECT role.rolname AS role, c.relname AS "table", given.privilege_type AS "right"
  FROM pg_class c, aclexplode(c.relacl) AS given
  JOIN pg_roles role ON role.oid = given.grantee
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND role.rolname = $1`

/**
 * Gives the role of ingresses what its list names, and takes from it what it does not name, where the server has that
 * role: the embedded one, or one that an operator made. Runs at each start, so that a database of an older Berth gets what
 * is new. Only the owner of the tables may call it.
 */
export async function grantIngressRights(client: ClientBase, role = INGRESS): Promise<void> {
  const missing = await findMissingRights(
    async (sql, values) => (await client.query(sql, [...values])).rows,
    INGRESS_RIGHTS,
    role,
  )
  for (const grant of missing ? grantsOf(missing) : []) await client.query(grant)
  const { rows } = await client.query<{ role: string; table: string; right: string }>(GIVEN, [role])
  for (const { table, right } of rows)
    if (!INGRESS_RIGHTS[table]?.some((wanted) => wanted === right))
      await client.query(`REVOKE ${right} ON ${quoted(table)} FROM ${quoted(role)}`)
}
