import type { ClientBase } from 'pg'
import { VERSION } from '../../config/version.ts'
import { migrationNames } from './schema-engine.ts'

let known: Promise<string[]> | undefined

/**
 * The migrations of this program, as they were when it started: an upgrade in place puts new ones beside a process that
 * still runs the old code.
 */
export const knownMigrations = (): Promise<string[]> => {
  known ??= migrationNames()
  return known
}

/** The newest migration that this program does not have. `$1`: those that it has. */
export const UNKNOWN_MIGRATION = `
  SELECT migration_name AS name FROM _prisma_migrations
  WHERE rolled_back_at IS NULL AND migration_name <> ALL($1) ORDER BY migration_name DESC LIMIT 1`

/**
 * Throws when another Berth has migrated the database: this one would misread it, and answer with errors. That is a newer
 * one, or one from before the first release, whose migrations are gone.
 */
export async function refuseNewerSchema(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(UNKNOWN_MIGRATION, [await knownMigrations()])
  const [unknown] = rows
  if (!unknown) return
  const [first = ''] = await knownMigrations()
  if (unknown.name < first) {
    throw new Error(
      `The database has the migration ${unknown.name}, of a Berth from before the first release, which cannot be migrated. npm run reset deletes this installation with all that it made; a database of DATABASE_URL is for you to drop.`,
    )
  }
  const other = await berthVersion(client)
  const needed =
    other && other !== VERSION
      ? `Berth ${other} opened it last: start that version or a newer one`
      : 'Start the version of Berth that has this migration, or a newer one'
  throw new Error(
    `${newerSchema(unknown.name)} Berth does not start. ${needed}, or restore the backup from before the upgrade.`,
  )
}

export const newerSchema = (migration: string): string =>
  `The database has the migration ${migration}, which this version of Berth (${VERSION}) does not know.`

/** The version that opened the database last; null when it is unknown. */
async function berthVersion(client: ClientBase): Promise<string | null> {
  const { rows } = await client
    .query<{ version: string | null }>('SELECT berth_version AS version FROM installation')
    .catch(() => ({ rows: [] }))
  return rows[0]?.version ?? null
}
