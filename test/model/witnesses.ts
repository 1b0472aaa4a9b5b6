import type { Database } from '../../src/storage/database/client.ts'

/**
 * Has the database record every commit after which an environment had two rollouts with traffic, or two versions under
 * way: no poll could see what lasts for one transaction.
 */
export async function watchActiveContents(database: Database): Promise<void> {
  const statements = [
    'CREATE TABLE two_active (app_env_id text, what text)',
    `CREATE FUNCTION note_two_active() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF (SELECT count(DISTINCT rollout_id) FROM replica
           WHERE app_env_id = NEW.app_env_id AND state IN ('READY', 'UNREADY')) > 1 THEN
         INSERT INTO two_active VALUES (NEW.app_env_id, 'two rollouts with traffic');
       END IF;
       IF (SELECT count(*) FROM content
           WHERE app_env_id = NEW.app_env_id AND status IN ('QUEUED', 'BUILDING', 'DEPLOYING')) > 1 THEN
         INSERT INTO two_active VALUES (NEW.app_env_id, 'two versions under way');
       END IF;
       RETURN NULL;
     END $$`,
    ...['replica', 'content'].map(
      (table) => `
        CREATE CONSTRAINT TRIGGER two_active AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION note_two_active()`,
    ),
  ]
  for (const statement of statements) await database.$executeRawUnsafe(statement)
}

/** What must hold of an environment at rest, whatever was done to it; each finds what does not. */
const WITNESSES: Record<string, string> = {
  'two active contents': 'SELECT what AS found FROM two_active WHERE app_env_id = $1',
  'gaps in version numbers': `
    SELECT last_version || ', but ' || count(c.version) || ' up to ' || coalesce(max(c.version), 0) AS found
    FROM app_env e LEFT JOIN content c ON c.app_env_id = e.id WHERE e.id = $1
    GROUP BY e.id HAVING count(c.version) <> last_version OR coalesce(max(c.version), 0) <> last_version`,
  'operations without exactly one outcome event': `
    SELECT o.id || ' ' || o.kind || ': ' || count(v.type) AS found FROM operation o
    LEFT JOIN event v ON v.operation_id = o.id
      AND v.type IN ('operation.succeeded', 'operation.failed', 'operation.cancelled')
    WHERE o.app_env_id = $1 GROUP BY o.id HAVING count(v.type) <> 1`,
  'operations without exactly one audit entry': `
    SELECT o.id || ' ' || o.kind || ': ' || count(a.id) AS found FROM operation o
    LEFT JOIN audit_entry a ON a.details->>'operationId' = o.id AND a.action <> 'cancelOperation'
    WHERE o.app_env_id = $1 GROUP BY o.id HAVING count(a.id) <> 1`,
  'calls that were accepted without an audit entry': `
    SELECT count(*)::text AS found FROM audit_entry a
    WHERE a.action = 'cancelOperation' AND a.target_id IN (SELECT id FROM operation WHERE app_env_id = $1)
    HAVING count(*) <> (SELECT count(*) FROM operation WHERE app_env_id = $1 AND reason = 'CANCELLED_BY_USER')`,
}

export async function contradictions(database: Database, appEnvId: string): Promise<string[]> {
  const found: string[] = []
  for (const [what, query] of Object.entries(WITNESSES)) {
    const rows = await database.$queryRawUnsafe<{ found: string }[]>(query, appEnvId)
    found.push(...rows.map((row) => `${what}: ${row.found}`))
  }
  return found
}
