// npm run migration -- <name>      writes prisma/migrations/<timestamp>_<name>/migration.sql
// npm run migration -- --check     fails when the migrations do not lead to prisma/schema.prisma
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DiffTarget, SchemaEngine } from '@prisma/schema-engine-wasm'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import {
  MIGRATIONS_PATH,
  NO_FILTER,
  readMigrations,
  SCHEMA_PATH,
  withSchemaEngine,
} from '../src/storage/database/schema-engine.ts'

/**
 * The SQL from the migrations to the schema; empty when they agree. Both sides are built in a real database first,
 * because PostgreSQL rewrites the conditions of partial indexes.
 */
async function missingSql(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-migration-'))
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } })
  try {
    return await withSchemaEngine(server.superuserUrl, async (engine) => {
      const wholeSchema = await sqlBetween(
        engine,
        { tag: 'empty' },
        { tag: 'schemaDatamodel', files: [await readSchema()] },
      )
      const migrations = await readMigrations()
      if (migrations.migrationDirectories.length === 0) return wholeSchema
      const content = { tag: 'ok' as const, value: wholeSchema }
      const schemaAsMigration = { path: 'schema', migrationFile: { path: 'migration.sql', content } }
      const target = { ...migrations, migrationDirectories: [schemaAsMigration] }
      return sqlBetween(engine, { tag: 'migrations', ...migrations }, { tag: 'migrations', ...target })
    })
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function sqlBetween(engine: SchemaEngine, from: DiffTarget, to: DiffTarget): Promise<string> {
  const { stdout } = await engine.diff({ from, to, script: true, exitCode: null, filters: NO_FILTER })
  return stdout?.includes('This is an empty migration') ? '' : (stdout ?? '')
}

const readSchema = async () => ({ path: 'schema.prisma', content: await readFile(SCHEMA_PATH, 'utf8') })

async function write(name: string, sql: string): Promise<string> {
  const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = join(MIGRATIONS_PATH, `${timestamp}_${name}`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(MIGRATIONS_PATH, 'migration_lock.toml'), 'provider = "postgresql"\n')
  const path = join(folder, 'migration.sql')
  await writeFile(path, `${sql.trim()}\n`)
  return path
}

const argument = process.argv[2] ?? ''
if (argument !== '--check' && !/^[a-z][a-z0-9_]*$/.test(argument)) {
  console.error('Name the migration in lower case, for example: npm run migration -- add_job_runs')
  process.exit(2)
}
const sql = await missingSql()
if (argument !== '--check') {
  console.log(sql ? await write(argument, sql) : 'Nothing to do: the migrations already match prisma/schema.prisma.')
} else if (sql) {
  console.error(`prisma/schema.prisma is newer than the migrations; run npm run migration -- <name>\n\n${sql}`)
  process.exit(1)
}
