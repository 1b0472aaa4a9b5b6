import { createHmac } from 'node:crypto'
import pg from 'pg'
import { SUPERUSER } from './postgres-server.ts'

const DATABASE = 'berth'
export const OWNER = 'berth_owner'
/** Of an ingress alone: it reads routes and reports its requests, with the rights in `rights.ts`. */
export const INGRESS = 'berth_ingress'

const PREPARE_LOCK = 7_236_784_003

/** The ways into an embedded server, each with the rights that it needs. */
export interface Access {
  /** As the owner of Berth's database, with no rights beyond it. */
  url: string
  /** Reads the tables of routes. */
  ingressUrl: string
  /** Only for setting up and repairing. */
  superuserUrl: string
}

export function accessTo(port: number, superuserPassword: string): Access {
  const urlOf = (role: string, password: string) => `postgresql://${role}:${password}@127.0.0.1:${port}/${DATABASE}`
  // Derived, so that there is one secret file; a derived one does not lead back to it.
  const derived = (role: string) => urlOf(role, createHmac('sha256', superuserPassword).update(role).digest('hex'))
  return { url: derived(OWNER), ingressUrl: derived(INGRESS), superuserUrl: urlOf(SUPERUSER, superuserPassword) }
}

/**
 * Makes the roles and the database, and gives the owner what the superuser owned in it: it did all the work once. The
 * owner may log in last, so that what was interrupted is done again. Any number of processes may call it at once.
 */
export async function prepareDatabase(access: Access): Promise<void> {
  const maintenance = new URL(access.superuserUrl)
  maintenance.pathname = '/postgres'
  await withClient(maintenance.href, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [PREPARE_LOCK])
    // Another process may have done it while this one waited.
    if ((await canLogIn(access.ingressUrl)) && (await canLogIn(access.url))) return
    for (const role of [OWNER, INGRESS]) await createRole(client, role)
    const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (rows.length === 0) await client.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`)
    await client.query(`ALTER DATABASE ${DATABASE} OWNER TO ${OWNER}`)
    await client.query(`REVOKE ALL ON DATABASE ${DATABASE} FROM PUBLIC`)
    await client.query(`GRANT CONNECT ON DATABASE ${DATABASE} TO ${INGRESS}`)
    await withClient(access.superuserUrl, (inside) => inside.query(TAKE_OVER))
    for (const url of [access.ingressUrl, access.url]) await letIn(client, new URL(url))
  })
}

const canLogIn = (url: string) =>
  withClient(url, async () => {}).then(
    () => true,
    () => false,
  )

async function createRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])
  if (rows.length === 0) await client.query(`CREATE ROLE ${role}`)
  await client.query(`ALTER ROLE ${role} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`)
}

const letIn = (client: pg.Client, { username, password }: URL) =>
  client.query(`ALTER ROLE ${username} LOGIN PASSWORD ${client.escapeLiteral(password)}`)

/** REASSIGN OWNED cannot be used: the superuser that initdb made also owns the catalogue. */
const TAKE_OVER = `
DO $$
DECLARE item record;
BEGIN
  FOR item IN
    SELECT c.oid::regclass AS name, c.relkind FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
      AND c.relowner <> '${OWNER}'::regrole
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
  LOOP
    EXECUTE format('ALTER %s %s OWNER TO ${OWNER}',
      CASE item.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
      item.name);
  END LOOP;
  FOR item IN
    SELECT t.oid::regtype AS name FROM pg_type t
    WHERE t.typnamespace = 'public'::regnamespace AND t.typtype IN ('e', 'd') AND t.typowner <> '${OWNER}'::regrole
  LOOP
    EXECUTE format('ALTER TYPE %s OWNER TO ${OWNER}', item.name);
  END LOOP;
  FOR item IN
    SELECT p.oid::regprocedure AS name FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proowner <> '${OWNER}'::regrole
  LOOP
    EXECUTE format('ALTER ROUTINE %s OWNER TO ${OWNER}', item.name);
  END LOOP;
END $$`

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'berth-setup',
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
