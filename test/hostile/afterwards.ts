import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { BerthUnderTest } from './berth-under-test.ts'
import type { Findings } from './findings.ts'

const SETTLED_WITHIN_MS = 60_000

/** Each finds rows that no order of whole transactions could have left. */
const IMPOSSIBLE: Record<string, string> = {
  'events have gaps': `SELECT l.id FROM event_sequence l JOIN event e ON e.event_sequence_id = l.id GROUP BY l.id
    HAVING count(*) <> l.last_event_sequence - l.expired_sequence OR max(e.sequence) <> l.last_event_sequence`,
  'audit entries have gaps': `SELECT l.id FROM event_sequence l JOIN audit_entry a ON a.event_sequence_id = l.id GROUP BY l.id
    HAVING count(*) <> l.last_audit_sequence OR max(a.sequence) <> l.last_audit_sequence`,
  'updating without an operation': `SELECT e.id FROM app_env e WHERE status = 'UPDATING' AND deleted_at IS NULL AND NOT EXISTS
    (SELECT 1 FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING'))`,
  'an open operation on nothing': `SELECT o.id FROM operation o JOIN app_env e ON e.id = o.app_env_id
    WHERE o.status IN ('QUEUED', 'RUNNING') AND o.kind <> 'DELETE' AND e.deleted_at IS NOT NULL`,
  'version numbers have gaps': `SELECT e.id FROM app_env e JOIN content c ON c.app_env_id = e.id GROUP BY e.id
    HAVING count(*) <> e.last_version OR max(c.version) <> e.last_version`,
  'a version that no operation is about': `SELECT c.id FROM content c WHERE c.status IN ('QUEUED', 'DEPLOYING') AND NOT EXISTS
    (SELECT 1 FROM operation o WHERE o.content_id = c.id AND o.status IN ('QUEUED', 'RUNNING'))`,
  'an environment without its app': `SELECT e.id FROM app_env e JOIN app a ON a.id = e.app_id
    WHERE e.deleted_at IS NULL AND a.deleted_at IS NOT NULL`,
  'an environment without a host': `SELECT e.id FROM app_env e JOIN app a ON a.id = e.app_id WHERE e.deleted_at IS NULL
    AND a.type <> 'JOB' AND NOT EXISTS (SELECT 1 FROM host h WHERE h.app_env_id = e.id)`,
}

const OPEN = `SELECT count(*)::int AS count FROM operation WHERE status IN ('QUEUED', 'RUNNING')`

/** What must be so when everything is over: everything ended, nothing half made, and the process as it was. */
export async function checkAfterwards(berth: BerthUnderTest, databaseUrl: string, findings: Findings): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const add = (what: string) => findings.add({ phase: 'afterwards', what })
  try {
    const open = berth.docker ? await untilNoneOpen(client) : 0
    if (open > 0) add(`${open} operations have not ended within ${SETTLED_WITHIN_MS / 1000} s`)
    for (const [what, statement] of Object.entries(IMPOSSIBLE)) {
      const { rows } = await client.query(statement)
      if (rows.length > 0) add(`${what}: ${rows.length}, such as ${JSON.stringify(rows[0])}`)
    }
  } finally {
    await client.end()
  }
  const ready = await fetch(`${berth.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.status,
    (error: Error) => error.message,
  )
  if (ready !== 200) add(`/readyz says ${ready}`)
  for (const line of new Set(berth.complaints().map(withoutTimes))) add(`it complains: ${line.slice(0, 600)}`)
}

/** One complaint, however often it was found. */
const withoutTimes = (line: string) =>
  line.replace(/"(time|ms|pid)":[\d.]+,?/g, '').replace(/[a-z]{2,4}_[0-9a-z-]{26,}/g, '…')

async function untilNoneOpen(client: pg.Client): Promise<number> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; ; await sleep(500)) {
    const { rows } = await client.query(OPEN)
    const { count } = rows[0] as { count: number }
    if (count === 0 || Date.now() > deadline) return count
  }
}
