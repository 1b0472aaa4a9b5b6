import type { Logger } from 'pino'
import { copyCluster, migrationBefore } from '../database/copy-before-migration.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../database/embedded.ts'

/** With a copy of the database first, where this version is going to migrate it: an older one cannot read it afterwards. */
export async function startOwnDatabase(dataDir: string, log: Logger): Promise<EmbeddedPostgres> {
  const options = { dataDir, warn: (message: string) => log.warn(message) }
  const postgres = await startEmbeddedPostgres(options)
  const migration = await migrationBefore(postgres.url).catch(() => null)
  if (migration === null) return postgres
  const isShared = await postgres.isShared()
  if (!isShared) await postgres.stop()
  const outcome = isShared
    ? 'another process uses it'
    : await copyCluster(dataDir, migration).then(
        (isCopied) => (isCopied ? null : 'another process has started it'),
        (error: Error) => error.message,
      )
  if (outcome === null)
    log.info({ migration }, 'Copied the database before it is migrated; npm run service -- rollback uses it')
  else log.warn({ reason: outcome }, 'Could not copy the database before it is migrated')
  return isShared ? postgres : await startEmbeddedPostgres(options)
}
