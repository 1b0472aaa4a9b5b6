import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { moveIntoPlaceSync, syncFolder, writeDurably } from '../files/durable-files.ts'
import { findServer } from './postgres-server.ts'

// An embedded database from before it was migrated: an older program cannot read it afterwards.

/** In the data directory, followed by the newest migration that the copy has. */
const PREFIX = 'postgres.before-'
const UNFINISHED = '.part'
const COPY_MINUTES = 30

const databaseOf = (dataDir: string) => join(dataDir, 'postgres')
/** Names the migration of the copy for as long as the database may be migrated in part. */
const migratingFile = (dataDir: string) => join(dataDir, 'postgres.migrating')
/** Names the copy that takes the place of the database. */
const restoringFile = (dataDir: string) => join(dataDir, 'postgres.restoring')
/** The database that a copy has replaced. */
const replacedOf = (dataDir: string) => join(dataDir, 'postgres.replaced')

/**
 * Copies the database, which must be stopped, in place of an older copy; one that was made before this migration began is
 * kept. False where a server was started meanwhile: then there is none.
 */
export async function copyDatabase(dataDir: string, migration: string): Promise<boolean> {
  const copy = join(dataDir, PREFIX + migration)
  const begun = textOf(migratingFile(dataDir))
  if (begun !== null && begun !== migration && existsSync(join(dataDir, PREFIX + begun))) return true
  const unfinished = copy + UNFINISHED
  rmSync(unfinished, { recursive: true, force: true })
  if (findServer(databaseOf(dataDir))) return false
  // Blocks are shared with the original where the file system can.
  await run('cp', ['-a', '--reflink=auto', databaseOf(dataDir), unfinished])
  if (findServer(databaseOf(dataDir))) {
    rmSync(unfinished, { recursive: true, force: true })
    return false
  }
  await run('sync', ['-f', unfinished])
  for (const { path } of copiesIn(dataDir)) rmSync(path, { recursive: true, force: true })
  moveIntoPlaceSync(unfinished, copy)
  writeDurably(migratingFile(dataDir), migration)
  return true
}

/** The database has all migrations: the next copy may take the place of this one. */
export const endMigration = (dataDir: string): void => rmSync(migratingFile(dataDir), { force: true })

/** A copy that was made after a time; null for none. */
export const findCopy = (dataDir: string, since: Date): string | null =>
  copiesIn(dataDir).find(({ madeAt }) => madeAt >= since)?.path ?? null

/** Puts a copy in the place of the stopped database. Killed at any time, `finishRestore` does the rest. */
export function restoreCopy(dataDir: string, copy: string): void {
  writeDurably(restoringFile(dataDir), copy)
  finishRestore(dataDir)
}

/** Without it, a start would find no database in between, and make a new one. */
export function finishRestore(dataDir: string): void {
  const copy = textOf(restoringFile(dataDir))
  if (copy === null) return
  if (existsSync(copy)) {
    if (existsSync(databaseOf(dataDir))) {
      rmSync(replacedOf(dataDir), { recursive: true, force: true })
      moveIntoPlaceSync(databaseOf(dataDir), replacedOf(dataDir))
    }
    moveIntoPlaceSync(copy, databaseOf(dataDir))
  }
  endMigration(dataDir)
  rmSync(restoringFile(dataDir))
  syncFolder(dataDir)
}

const copiesIn = (dataDir: string) =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith(PREFIX) && !name.endsWith(UNFINISHED))
    .map((name) => ({ path: join(dataDir, name), madeAt: statSync(join(dataDir, name)).ctime }))

const textOf = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null)

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { timeout: COPY_MINUTES * 60_000, stdio: ['ignore', 'ignore', 'pipe'] })
  let words = ''
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(words.trim().split('\n')[0] || `${program} ended with ${code}`)
}
