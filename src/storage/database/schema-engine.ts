import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import { EngineConnections } from './engine-connections.ts'

export const SCHEMA_PATH = join(import.meta.dirname, '../../../prisma/schema.prisma')
export const MIGRATIONS_PATH = join(import.meta.dirname, '../../../prisma/migrations')

/** Every table is ours: a comparison leaves out none. */
export const NO_FILTER = { externalTables: [], externalEnums: [] }

// Node has it; TypeScript declares it only together with the whole browser.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

// Once per process: the bindings keep views of the memory of the first instance.
let loading: ReturnType<typeof loadEngine> | undefined

/** Provides Prisma's own schema engine, as WebAssembly, on the given database, while `work` runs. */
export async function withSchemaEngine<T>(databaseUrl: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  loading ??= loadEngine()
  const { SchemaEngine } = await loading
  const schema = await readFile(SCHEMA_PATH, 'utf8')
  const connections = new EngineConnections(databaseUrl)
  const adapter = bindMigrationAwareSqlAdapterFactory(connections)
  try {
    const engine = await SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, adapter)
    return await work(engine).finally(() => engine.free())
  } catch (error) {
    // The engine reports a PostgreSQL error by its number only; the adapter has kept the error itself.
    const [, id] = /External error id#(\d+)/.exec(String(error)) ?? []
    throw (id && adapter.errorRegistry.consumeError(Number(id))?.error) || error
  } finally {
    await connections.close()
  }
}

/** The folders of the migrations, sorted, oldest first. */
export async function migrationNames(): Promise<string[]> {
  const entries = await readdir(MIGRATIONS_PATH, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory())
  return folders.map((folder) => folder.name).sort()
}

/** The migrations in the engine's format. */
export async function readMigrations(): Promise<MigrationList> {
  const migrationDirectories = await Promise.all(
    (await migrationNames()).map(async (name) => {
      const value = await readFile(join(MIGRATIONS_PATH, name, 'migration.sql'), 'utf8')
      return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } }
    }),
  )
  const lockfile = { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' }
  return { baseDir: MIGRATIONS_PATH, lockfile, migrationDirectories, shadowDbInitScript: '' }
}

/** Instantiated by hand: importing a `.wasm` module still prints an experimental warning in Node 24. */
async function loadEngine(): Promise<typeof import('@prisma/schema-engine-wasm')> {
  const glue = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bindings = await import(glue)
  const bytes = await readFile(glue.replace(/\.js$/, '.wasm'))
  // The engine never clears the timer of its own lock, which would keep a script alive for ten more seconds.
  const startTimer = Object.keys(bindings).find((name) => name.startsWith('__wbg_setTimeout')) ?? ''
  const unref = (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds).unref()
  const imports = { './schema_engine_bg.js': { ...bindings, [startTimer]: unref } }
  const { instance } = await WebAssembly.instantiate(bytes, imports)
  bindings.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  return bindings
}
