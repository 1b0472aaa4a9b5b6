import type { ClientBase } from 'pg'
import { INGRESS } from './database-roles.ts'
import { findMissingRights, grantsOf, INGRESS_RIGHTS, quoted } from './rights.ts'

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
  const missing = await findMissingRights(
    async (sql, values) => (await client.query(sql, [...values])).rows,
    INGRESS_RIGHTS,
    role,
  )
  for (const grant of missing ? grantsOf(missing) : []) await client.query(grant)
  const { rows } = await client.query<{ role: string; table: string; right: string }>(GIVEN, [role])
  for (const { table, right } of rows)
    if (!INGRESS_RIGHTS[table]?.some((wanted) => wanted === right))
      await client.query(`REVOKE ${right} ON ${quoted(table)} FROM ${quoted(role)}`)
}
