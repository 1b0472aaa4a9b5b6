import { SESSION_SECONDS } from '../../domain/request-scaling.ts'
import type { Database } from '../../storage/database/client.ts'
import { findMissingRights, INGRESS_RIGHTS } from '../../storage/database/rights.ts'

/** An ingress that was just started, or a database that was, has not been heard yet. */
const SILENT_MS = 10_000

/**
 * Records of sleeping environments that they cannot be woken: no ingress reports requests. The status shows it, with
 * the cause as far as the database knows it.
 */
export class WakeProblem {
  #silentSince: number | null = null

  async note(database: Database): Promise<void> {
    const [facts] = await database.$queryRaw<{ hasAsleep: boolean; hasNoted: boolean; isHeard: boolean }[]>`
      SELECT EXISTS (SELECT FROM request_scaling WHERE depth IS NOT NULL) AS "hasAsleep",
        EXISTS (SELECT FROM request_scaling WHERE wake_problem IS NOT NULL) AS "hasNoted",
        EXISTS (SELECT FROM ingress_session
          WHERE reported_at > now() - make_interval(secs => ${SESSION_SECONDS})) AS "isHeard"`
    if (!facts) return
    if (facts.isHeard || !facts.hasAsleep) {
      this.#silentSince = null
      if (facts.hasNoted) await record(database, null)
      return
    }
    this.#silentSince ??= performance.now()
    if (performance.now() - this.#silentSince >= SILENT_MS) await record(database, await whySilent(database))
  }
}

async function record(database: Database, problem: string | null): Promise<void> {
  await database.$executeRaw`
    UPDATE request_scaling SET wake_problem = ${problem}
    WHERE wake_problem IS DISTINCT FROM ${problem} AND (depth IS NOT NULL OR wake_problem IS NOT NULL)`
}

/** Shown to all who may see the environment, so without the names of roles and tables, which `/readyz` has. */
async function whySilent(database: Database): Promise<string> {
  const roles = await database.$queryRaw<{ role: string }[]>`
    SELECT DISTINCT usename::text AS role FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'berth-ingress%' AND usename IS NOT NULL`
  for (const { role } of roles) {
    const missing = await findMissingRights(
      (sql, values) => database.$queryRawUnsafe(sql, ...values),
      INGRESS_RIGHTS,
      role,
    )
    if (missing)
      return 'the ingress may not report requests, because its database role lacks a right; /readyz has the statement that grants it'
  }
  return roles.length === 0
    ? 'no ingress is connected to the database; start one, or see `ingress` in /readyz'
    : 'the ingress reports no requests; `requestReports` in its /readyz says why'
}
