import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { compileCode } from '../../scripts/setup/compiled-code.mjs'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { migrate } from '../../src/storage/database/migrate.ts'
import { findServer, launch, shutDown } from '../../src/storage/database/postgres-server.ts'
import { copyServer } from './copy-server.ts'
import { TEMPLATE_DATABASE } from './database.ts'
import { RUN_FOLDER, removeRecorded } from './test-installations.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    /** A data directory with a migrated database, for `copyServer`. */
    postgresTemplate: string
  }
}

const ROOT = join(import.meta.dirname, '../..')
const PREFIX = 'berth-test-'
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_SECONDS = 5

// Nothing here outlives the run, so durability is traded for speed. Short-lived databases need no vacuum.
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '400',
}

/**
 * One real PostgreSQL for the whole run, with one migrated database that every test file clones. In the end nothing of
 * the run is left, neither in the folder for temporary files nor on the container engine.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Whatever a test starts is the code of now. The test of a copy of the repository starts nothing.
  if (process.env.BERTH_TEST_BUNDLE !== 'off') await compileCode(ROOT, process.execPath)
  await sweep()
  const dataDir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  process.env[RUN_FOLDER] = dataDir
  const template = join(dataDir, 'template')
  const start = () => startEmbeddedPostgres({ dataDir, settings: SETTINGS })
  const teardown = async () => {
    await shutDown(join(dataDir, 'postgres'), STOP_TIMEOUT_SECONDS)
    if (await clearEngine(dataDir, 'Tests')) rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const initial = await start()
    await migrate(initial.url).finally(() => initial.stop())
    copyServer(dataDir, template)
    await createTemplateDatabase(dataDir, initial.superuserUrl)
    const server = await start()
    project.provide('postgresUrl', server.superuserUrl)
    project.provide('postgresTemplate', template)
    return async () => {
      await server.stop()
      await teardown()
    }
  } catch (error) {
    await teardown()
    throw error
  }
}

/** Only a database without a session can be copied, so this comes before the server is held by one. */
async function createTemplateDatabase(dataDir: string, migratedUrl: string): Promise<void> {
  const folder = join(dataDir, 'postgres')
  await launch(folder, SETTINGS, Date.now() + START_TIMEOUT_MS)
  const url = new URL(migratedUrl)
  const migrated = url.pathname.slice(1)
  url.pathname = '/postgres'
  url.port = `${findServer(folder)?.port}`
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${TEMPLATE_DATABASE} TEMPLATE ${migrated}`)
  await admin.end()
}

/** Runs that were killed could not clean up. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1])
    if (!pid || isRunning(pid)) continue
    // First: processes that outlived their run can do nothing on the engine without their database.
    await shutDown(join(tmpdir(), name, 'postgres'), STOP_TIMEOUT_SECONDS)
    if (await clearEngine(join(tmpdir(), name), 'A run that was killed'))
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

/** False if the engine did not let us; then the folder, which says what is to go, stays for the next run. */
async function clearEngine(folder: string, who: string): Promise<boolean> {
  try {
    const left = await removeRecorded(folder)
    if (left.length > 0) console.warn(`${who} left on the container engine, now removed: ${left.join(', ')}`)
    return true
  } catch (error) {
    console.warn(`The container engine keeps what tests have left: ${String(error)}`)
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
