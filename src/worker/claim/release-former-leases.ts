import type { Database } from '../../storage/database/client.ts'
import { LEASED_TABLES, nameOf, TAKEN_AWAY } from './leased-table.ts'

const MAX_PAUSE_SECONDS = 300

/**
 * Ends the leases of workers whose processes are dead, so that no worker has to wait until they expire. Moves the
 * fencing token on, as any claim does. Never call it for a worker that may be alive: its own clock would let it go on
 * calling the engine. Returns the number of environments.
 */
export async function releaseFormerLeases(database: Database, owners: readonly string[]): Promise<number> {
  if (owners.length === 0) return 0
  for (const table of LEASED_TABLES.filter((one) => one !== 'app_env'))
    await database.$executeRaw`
      UPDATE ${nameOf(table)} SET ${TAKEN_AWAY}
      WHERE id IN (SELECT id FROM ${nameOf(table)} WHERE lease_owner = ANY(${[...owners]}::text[]) ORDER BY id FOR UPDATE)`
  // In the order in which renewals lock them. An environment whose reconciliation may be what ends the workers is due
  // later each time; operations have a time of their own.
  return database.$executeRaw`
    UPDATE app_env SET ${TAKEN_AWAY},
      due_at = now() + CASE WHEN unfinished_claims < 2 THEN interval '0'
        ELSE make_interval(secs => least(${MAX_PAUSE_SECONDS}, 2 ^ least(unfinished_claims, 20))) END
    WHERE id IN (SELECT id FROM app_env WHERE lease_owner = ANY(${[...owners]}::text[]) ORDER BY id FOR UPDATE)`
}
