import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Database } from '../storage/database/client.ts'
import type { InstallationSite } from '../worker/engine/engine-ownership.ts'

interface Situated {
  config: Config
  dataDir: string
  database: Database
}

/**
 * Where this installation's database is. A copy of it is elsewhere: restored from a dump it is in another cluster; copied
 * with its files, in another folder, or behind another address.
 */
export async function readInstallationSite({ config, dataDir, database }: Situated): Promise<InstallationSite> {
  const [{ oid } = { oid: '' }] = await database.$queryRaw<{ oid: string }[]>`
    SELECT oid::text AS oid FROM pg_database WHERE datname = current_database()`
  const where = config.DATABASE_URL
    ? addressOf(config.DATABASE_URL)
    : fileOf(join(dataDir, 'postgres', 'data', 'PG_VERSION'))
  const place = JSON.stringify([await readCluster(database), oid, where])
  return {
    place: createHash('sha256').update(place).digest('hex').slice(0, 32),
    holder: `${hostname()}, data directory ${dataDir}`,
  }
}

/** Empty where the role may not ask. */
const readCluster = (database: Database): Promise<string> =>
  database.$queryRaw<{ id: string }[]>`SELECT system_identifier::text AS id FROM pg_control_system()`.then(
    ([found]) => found?.id ?? '',
    () => '',
  )

function addressOf(url: string): string {
  const { hostname: host, port, pathname } = new URL(url)
  return `${host}:${port}${pathname}`
}

/** A copy of a file that nothing changes is another one, made later. */
function fileOf(path: string): string {
  const { ino, birthtimeMs } = statSync(path)
  return `${ino} ${birthtimeMs}`
}
