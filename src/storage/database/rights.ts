const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

type Right = (typeof RIGHTS)[number]

/** Rights by table of the schema `public`. */
type TableRights = Readonly<Record<string, readonly Right[]>>

const REPORTED: readonly Right[] = ['SELECT', 'INSERT', 'UPDATE']

/**
 * What the statements of an ingress read and write. None of it holds a secret. `test/storage/database/rights.test.ts` runs each of
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
  // What it counted of requests to web apps.
  traffic_sample: REPORTED,
  // Whether a newer Berth has migrated the database.
  _prisma_migrations: ['SELECT'],
}

/** Its migration takes the others from the owner itself. */
const APPEND_ONLY = new Set(['audit_entry'])

/** Berth itself, the owner of its tables, reads and writes all of them. */
export const ownerRights = (tables: readonly string[]): TableRights =>
  Object.fromEntries(tables.map((table) => [table, APPEND_ONLY.has(table) ? ['SELECT', 'INSERT'] : RIGHTS]))

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
  WHERE role.rolname = coalesce($1::text, current_user) AND NOT has_table_privilege(role.oid, c.oid, wanted.right)
  ORDER BY wanted.name`

/** Runs a statement; its rows. */
type Ask = (sql: string, values: readonly unknown[]) => Promise<RightRow[]>

/** What of the list a role lacks. Without a name, it is the role of the connection. */
export async function findMissingRights(
  ask: Ask,
  list: TableRights,
  role: string | null = null,
): Promise<MissingRights | null> {
  const pairs = Object.entries(list).flatMap(([table, rights]) => rights.map((right) => ({ table, right })))
  const tables = pairs.map(({ table }) => table)
  const rights = pairs.map(({ right }) => right)
  return missingOf(await ask(MISSING, [role, tables, rights]))
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

/** What is missing, in words, and the statements that mend it. */
export function missingInWords(missing: MissingRights): { reason: string; nextStep: string } {
  const lacks = grantsOf(missing).map((grant) => grant.slice('GRANT '.length, grant.lastIndexOf(' TO ')))
  return {
    reason: `The database role ${missing.role} lacks ${lacks.join(', and ')}`,
    nextStep: `As the owner of the tables, run: ${grantsOf(missing).join('; ')}`,
  }
}

/** Names that PostgreSQL reads without quotes are shown without them. */
export const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
