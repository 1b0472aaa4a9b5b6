import pg from 'pg'
import type { PartFault } from '../../src/domain/part-states.ts'
import type { EngineGate } from './harness/engine-gate.ts'
import type { SmallDisk } from './harness/small-disk.ts'
import type { TestCluster } from './harness/test-cluster.ts'

/** Of everything that a fault needs in order to be made and mended. */
export interface FaultWorld {
  cluster: TestCluster
  /** Under the database alone. */
  databaseDisk: SmallDisk
  /** Under the data directories and the logs. */
  dataDisk: SmallDisk
  /** Under the container engine alone. */
  engineDisk: SmallDisk
  /** In front of the container engine. */
  gate: EngineGate
}

interface Fault {
  title: string
  /** What the parts have to say; one of them is enough. Null where only operations meet it. */
  state: PartFault | null
  /** What an operation has to say, where it can begin. */
  operation?: string
  make(world: FaultWorld): Promise<void> | void
  mend(world: FaultWorld): Promise<void> | void
}

const SHIFT = `'1 hour'::interval`

const RELOAD = 'SELECT pg_reload_conf()'
const SESSIONS_ANEW = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'berth_owner'`

/** What can be wrong around Berth, each made for real. */
export const FAULTS: readonly Fault[] = [
  {
    title: 'database away',
    state: 'DATABASE_UNREACHABLE',
    make: ({ cluster }) => cluster.database.kill(),
    mend: ({ cluster }) => cluster.database.restart(),
  },
  {
    title: 'database full (53100)',
    state: 'DATABASE_FULL',
    make: ({ databaseDisk }) => databaseDisk.fill(),
    mend: ({ databaseDisk }) => databaseDisk.free(),
  },
  {
    title: 'database read-only',
    state: 'DATABASE_READ_ONLY',
    make: (world) => asSuperuser(world, 'ALTER SYSTEM SET default_transaction_read_only = on', RELOAD),
    mend: (world) =>
      asSuperuser(
        world,
        'SET default_transaction_read_only = off',
        'ALTER SYSTEM RESET default_transaction_read_only',
        RELOAD,
      ),
  },
  {
    title: 'database slow',
    state: 'DATABASE_SLOW',
    make: ({ cluster }) => cluster.database.pause(),
    mend: ({ cluster }) => cluster.database.resume(),
  },
  {
    title: 'engine away',
    state: 'ENGINE_UNREACHABLE',
    operation: 'it does not answer',
    make({ gate }) {
      gate.weather = 'cut'
    },
    mend({ gate }) {
      gate.weather = 'fair'
    },
  },
  {
    title: 'engine full',
    state: null,
    operation: 'no disk space left',
    make: ({ engineDisk }) => engineDisk.fill(),
    mend: ({ engineDisk }) => engineDisk.free(),
  },
  {
    title: 'disk of the data directory full',
    state: 'DISK_FULL',
    make: ({ dataDisk }) => dataDisk.fill(),
    mend: ({ dataDisk }) => dataDisk.free(),
  },
  {
    title: 'ingress cannot report',
    state: 'RIGHTS_MISSING',
    make: (world) => asSuperuser(world, 'REVOKE INSERT ON request_sample FROM berth_ingress'),
    mend: (world) => asSuperuser(world, 'GRANT INSERT ON request_sample TO berth_ingress'),
  },
  {
    title: 'clock of the database jumped',
    state: 'CLOCK_SKEWED',
    make: (world) =>
      asSuperuser(
        world,
        `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + ${SHIFT.replaceAll("'", "''")}'`,
        'ALTER ROLE berth_owner SET search_path = public, pg_catalog',
        SESSIONS_ANEW,
      ),
    mend: (world) =>
      asSuperuser(
        world,
        'ALTER ROLE berth_owner RESET search_path',
        'DROP FUNCTION public.clock_timestamp()',
        SESSIONS_ANEW,
      ),
  },
]

async function asSuperuser({ cluster }: FaultWorld, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.superuserUrl })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
