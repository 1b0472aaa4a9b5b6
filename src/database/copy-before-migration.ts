import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { moveIntoPlaceSync } from '../files/durable-files.ts'
import { newestMigration } from './migrate.ts'
import { findServer } from './postgres-server.ts'

/** In the data directory, followed by the newest migration that it has. */
export const COPY_PREFIX = 'postgres.before-'
const UNFINISHED = '.part'
const COPY_MINUTES = 30

/** The newest migration of a database that this program is about to migrate; null where it is not. */
export async function migrationBefore(databaseUrl: string): Promise<string | null> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return await newestMigration(client)
  } finally {
    await client.end()
  }
}

/**
 * Copies a stopped embedded database, which an older program can be started on again. One copy is kept. False where the server
 * was started meanwhile: then there is none.
 */
export async function copyCluster(dataDir: string, migration: string): Promise<boolean> {
  const folder = join(dataDir, 'postgres')
  const copy = join(dataDir, `${COPY_PREFIX}${migration}`)
  if (existsSync(copy)) return true
  for (const name of readdirSync(dataDir))
    if (name.startsWith(COPY_PREFIX)) rmSync(join(dataDir, name), { recursive: true, force: true })
  if (findServer(folder)) return false
  const unfinished = `${copy}${UNFINISHED}`
  // Blocks are shared with the original where the file system can.
  const child = spawn('cp', ['-a', '--reflink=auto', folder, unfinished], { timeout: COPY_MINUTES * 60_000 })
  let words = ''
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0 || findServer(folder)) {
    rmSync(unfinished, { recursive: true, force: true })
    if (code !== 0) throw new Error(words.trim().split('\n')[0] ?? 'cp failed')
    return false
  }
  await once(spawn('sync', ['-f', unfinished], { timeout: COPY_MINUTES * 60_000 }), 'close')
  moveIntoPlaceSync(unfinished, copy)
  return true
}
