import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { PartState } from '../../domain/part-states.ts'
import { createDatabase } from '../../storage/database/client.ts'
import { DatabaseProbe } from '../../storage/database/database-probe.ts'
import { embeddedAccess } from '../../storage/database/embedded.ts'
import { findServer } from '../../storage/database/postgres-server.ts'
import { type Finding, ofPart, ok, warn } from './finding.ts'

/** PostgreSQL’s error state. */
const NO_SUCH_TABLE = '42P01'

/** The database and its clock. The embedded one is left as it is: stopped, if Berth is. */
export async function checkDatabase(config: Config, dataDir: string): Promise<Finding[]> {
  const url = config.DATABASE_URL ?? embeddedUrl(dataDir)
  if (url === null) return [ok('database', 'the embedded one, which starts with Berth')]
  const database = createDatabase({ url, poolSize: 1, applicationName: 'berth-doctor' })
  const probe = new DatabaseProbe(database)
  const [first, clock] = await Promise.all([probe.state(), probe.clock()])
  // The first answer took a login as well.
  const state = first.ready && first.state === 'DATABASE_SLOW' ? await probe.state() : first
  // A server that answers nothing does not end connections either.
  void database.$disconnect().catch(() => {})
  if (state.reason?.includes(NO_SUCH_TABLE))
    return [ok('database', 'answers, and has no tables yet: Berth makes them at the first start')]
  return [ofPart('database', state, config.DATABASE_URL ? 'answers' : 'the embedded one answers'), clockFinding(clock)]
}

/** A clock that is well has no reason beside it, unless it could not be compared. */
export const clockFinding = (clock: PartState): Finding =>
  clock.ready && !clock.state && clock.reason !== null
    ? warn('clock', clock.reason, 'Have the database answer, then run this again')
    : ofPart('clock', clock, 'as that of the database')

/** Null where it does not run. */
function embeddedUrl(dataDir: string): string | null {
  const folder = join(dataDir, 'postgres')
  const server = existsSync(folder) ? findServer(folder) : null
  return server ? embeddedAccess(folder, server.port).url : null
}
