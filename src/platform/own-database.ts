import type { Logger } from 'pino'
import { copyDatabase, endMigration, finishRestore } from '../storage/database/database-copy.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../storage/database/embedded.ts'
import { migrate, migrationBefore } from '../storage/database/migrate.ts'

/** With a copy of the database first, where this version is going to migrate it: an older one cannot read it afterwards. */
export async function startOwnDatabase(dataDir: string, log: Logger): Promise<EmbeddedPostgres> {
  finishRestore(dataDir)
  const options = { dataDir, warn: (message: string) => log.warn(message) }
  const postgres = await startEmbeddedPostgres(options)
  const migration = await migrationBefore(postgres.url).catch(() => null)
  if (migration === null) return postgres
  const isShared = await postgres.isShared()
  if (!isShared) await postgres.stop()
  const outcome = isShared ? 'another process uses it' : await whyNotCopied(dataDir, migration)
  if (outcome === null)
    log.info({ migration }, 'Copied the database before it is migrated; npm run service -- rollback uses it')
  else log.warn({ reason: outcome }, 'Could not copy the database before it is migrated')
  const started = isShared ? postgres : await startEmbeddedPostgres(options)
  // What fails is tried again by the start that goes on, which says so.
  await migrate(started.url).then(
    () => endMigration(dataDir),
    () => {},
  )
  return started
}

/** Null: it was. */
async function whyNotCopied(dataDir: string, migration: string): Promise<string | null> {
  try {
    return (await copyDatabase(dataDir, migration)) ? null : 'another process has started it'
  } catch (error) {
    return (error as Error).message
  }
}
