import type { ClientBase } from 'pg'
import { INGRESS } from './database-roles.ts'

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

export type Right = (typeof RIGHTS)[number]

/** Rights by table of the schema `public`. */
export type TableRights = Readonly<Record<string, readonly Right[]>>

const REPORTED: readonly Right[] = ['SELECT', 'INSERT', 'UPDATE']

/**
 * What the statements of an ingress read and write. None of it holds a secret. `test/database/rights.test.ts` runs each of
 * them with exactly these rights, and insists that each right is needed.
 */
export const INGRESS_RIGHTS: TableRights = {
  // The routes.
  host: ['SELECT'],
  external_access: ['SELECT'],
  app_env: ['SELECT'],
  replica: ['SELECT'],
  container: ['SELECT'],
  request_scaling: ['SELECT'],
  // Its report of the requests that it has: workers wake and freeze containers by it. Rows of a session go with it.
  ingress_session: [...REPORTED, 'DELETE'],
  request_load: REPORTED,
  request_sample: REPORTED,
  // Whether a newer Berth has migrated the database.
  _prisma_migrations: ['SELECT'],
}

/** A role that may not do what its statements do. */
export interface MissingRights {
  role: string
  rights: TableRights
}

interface RightRow {
  role: string
  table: string
  right: Right
}

/** `$1`: a role. `$2`, `$3`: tables and rights, pair by pair. Tables that do not exist yet are not named. */
const MISSING = `
  SELECT role.rolname AS role, wanted.name AS "table", wanted.right
  FROM pg_roles role, unnest($2::text[], $3::text[]) AS wanted(name, "right")
  JOIN pg_class c ON c.relname = wanted.name AND c.relnamespace = 'public'::regnamespace
  WHERE role.rolname = coalesce($1, current_user) AND NOT has_table_privilege(role.oid, c.oid, wanted.right)
  ORDER BY wanted.name`

/** What of the list a role lacks. Without a name, it is the role of the connection. */
export async function findMissingRights(
  client: Pick<ClientBase, 'query'>,
  list: TableRights,
  role: string | null = null,
): Promise<MissingRights | null> {
  const pairs = Object.entries(list).flatMap(([table, rights]) => rights.map((right) => ({ table, right })))
  const tables = pairs.map(({ table }) => table)
  const rights = pairs.map(({ right }) => right)
  const { rows } = await client.query<RightRow>(MISSING, [role, tables, rights])
  return missingOf(rows)
}

function missingOf(rows: readonly RightRow[]): MissingRights | null {
  const [first] = rows
  return first ? { role: first.role, rights: byTable(rows) } : null
}

function byTable(rows: readonly RightRow[]): TableRights {
  const rights: Record<string, Right[]> = {}
  for (const { table, right } of rows) {
    rights[table] ??= []
    rights[table].push(right)
  }
  return rights
}

/** The statements that grant the rights, for the owner of the tables to run. */
export function grantsOf({ role, rights }: MissingRights): string[] {
  const tablesByRights = new Map<string, string[]>()
  for (const [table, ofTable] of Object.entries(rights)) {
    const key = RIGHTS.filter((right) => ofTable.includes(right)).join(', ')
    tablesByRights.set(key, [...(tablesByRights.get(key) ?? []), quoted(table)])
  }
  return [...tablesByRights].map(([key, tables]) => `GRANT ${key} ON ${tables.join(', ')} TO ${quoted(role)}`)
}

/** Names that PostgreSQL reads without quotes are shown without them. */
const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** What a role was given itself on tables of Berth. `$1`: the role. */
const GIVEN = `
  SELECT role.rolname AS role, c.relname AS "table", given.privilege_type AS "right"
  FROM pg_class c, aclexplode(c.relacl) AS given
  JOIN pg_roles role ON role.oid = given.grantee
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND role.rolname = $1`

/**
 * Gives the role of ingresses what its list names, and takes from it what it does not name, where the server has that
 * role: the embedded one, or one that an operator made. Runs at each start, so that a database of an older Berth gets what
 * is new. Only the owner of the tables may call it.
 */
export async function grantIngressRights(client: ClientBase, role = INGRESS): Promise<void> {
  const missing = await findMissingRights(client, INGRESS_RIGHTS, role)
  for (const grant of missing ? grantsOf(missing) : []) await client.query(grant)
  const { rows } = await client.query<{ role: string; table: string; right: string }>(GIVEN, [role])
  for (const { table, right } of rows)
    if (!INGRESS_RIGHTS[table]?.some((wanted) => wanted === right))
      await client.query(`REVOKE ${right} ON ${quoted(table)} FROM ${quoted(role)}`)
}
