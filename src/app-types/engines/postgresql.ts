import { authority, type Engine, type EngineMetrics, script } from './engine.ts'
import {
  activeOperations,
  cacheHitRate,
  connections,
  diskUsage,
  megabytes,
  perSecond,
  reported,
  sharePercent,
  waitingOperations,
} from './engine-metrics.ts'
import { setPassword } from './postgresql-password.ts'
import { accessFile, environmentOf, optionsOf, replication } from './postgresql-replicas.ts'
import { pointInTime } from './postgresql-wal.ts'

/** The sessions of clients, without the one that asks. */
const CLIENTS = "pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"

const postgresqlMetrics: EngineMetrics = {
  command: script(
    // What Berth asks is in no log of slow statements, and takes no longer than it may.
    "export PGOPTIONS='-c statement_timeout=8s -c log_min_duration_statement=-1'",
    'exec psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --no-psqlrc --quiet --tuples-only --no-align << \'SQL\'',
    `SELECT 'connections ' || count(*) FROM ${CLIENTS};`,
    `SELECT 'active ' || count(*) FROM ${CLIENTS} AND state = 'active';`,
    `SELECT 'waiting ' || count(*) FROM ${CLIENTS} AND wait_event_type = 'Lock';`,
    `SELECT 'oldest ' || coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0) FROM ${CLIENTS};`,
    "SELECT 'transactions ' || sum(xact_commit + xact_rollback) FROM pg_stat_database;",
    "SELECT 'hits ' || sum(blks_hit) FROM pg_stat_database;",
    "SELECT 'reads ' || sum(blks_read) FROM pg_stat_database;",
    "SELECT 'data ' || sum(pg_database_size(oid)) FROM pg_database;",
    "SELECT 'wal ' || sum(size) FROM pg_ls_waldir();",
    "SELECT 'lag ' || coalesce(max(extract(epoch FROM replay_lag)), 0) FROM pg_stat_replication",
    "  WHERE state = 'streaming' HAVING count(*) > 0;",
    'SQL',
  ),
  series: [
    connections(reported('connections')),
    diskUsage(megabytes('data', 'wal')),
    cacheHitRate(sharePercent('hits', 'reads')),
    activeOperations(reported('active')),
    waitingOperations(reported('waiting')),
    {
      name: 'transactions',
      unit: 'PER_SECOND',
      description: 'Transactions that were committed or rolled back.',
      combined: 'SUM',
      value: perSecond('transactions'),
    },
    {
      name: 'oldest_transaction',
      unit: 'SECONDS',
      description: 'Age of the oldest open transaction, which keeps deleted rows on disk.',
      combined: 'MAX',
      value: reported('oldest'),
    },
    {
      name: 'wal_size',
      unit: 'MB',
      description: 'Size of the write-ahead log.',
      combined: 'SUM',
      value: megabytes('wal'),
    },
    {
      name: 'replication_lag',
      unit: 'SECONDS',
      description: 'Time that the slowest replica is behind its primary; not measured without replicas.',
      combined: 'MAX',
      value: reported('lag'),
    },
  ],
}

// Inside of its container the image trusts local connections, so these commands need no password.
const DUMP = 'pg_dump --username="$POSTGRES_USER" --format=custom --compress=0 "$POSTGRES_DB"'

export const postgresql: Engine = {
  name: 'POSTGRESQL',
  title: 'PostgreSQL',
  versions: [
    // From 18 on the image's volume is the parent folder; the data lies in a folder of the version's own.
    { version: '18', label: 'PostgreSQL 18', image: 'postgres:18', dataPath: '/var/lib/postgresql' },
    { version: '17', label: 'PostgreSQL 17', image: 'postgres:17' },
    { version: '16', label: 'PostgreSQL 16', image: 'postgres:16' },
  ],
  defaultVersion: '18',
  protocol: 'postgresql',
  port: 5432,
  otherPorts: [],
  dataPath: '/var/lib/postgresql/data',
  imageVariables: { user: 'POSTGRES_USER', password: 'POSTGRES_PASSWORD', database: 'POSTGRES_DB' },
  user: 'berth',
  database: 'berth',
  limits: { diskMb: { min: 1024, default: 10_240, max: 1_048_576 }, containers: { min: 1, default: 1, max: 5 } },
  settings: [
    {
      name: 'max_connections',
      type: 'INTEGER',
      default: 100,
      min: 10,
      max: 1000,
      description: 'Maximum number of concurrent connections. Each one takes memory.',
    },
    {
      name: 'shared_buffers',
      type: 'INTEGER',
      default: 128,
      min: 16,
      max: 16_384,
      unit: 'MB',
      description: 'Memory for shared buffers in MB. A quarter of the container’s memory is usual.',
    },
    {
      name: 'work_mem',
      type: 'INTEGER',
      default: 4,
      min: 1,
      max: 1024,
      unit: 'MB',
      description:
        'Memory in MB that a sort or hash may use before it writes to disk. A query may use it several times.',
    },
    {
      name: 'maintenance_work_mem',
      type: 'INTEGER',
      default: 64,
      min: 1,
      max: 2048,
      unit: 'MB',
      description: 'Memory in MB for maintenance such as VACUUM and CREATE INDEX.',
    },
    {
      name: 'effective_cache_size',
      type: 'INTEGER',
      default: 4096,
      min: 8,
      max: 65_536,
      unit: 'MB',
      description: 'Size in MB of the disk cache that the planner assumes. It reserves no memory.',
    },
    {
      name: 'max_wal_size',
      type: 'INTEGER',
      default: 1024,
      min: 64,
      max: 16_384,
      unit: 'MB',
      description: 'Size in MB that the write-ahead log may grow to between checkpoints. It counts towards the disk.',
    },
    {
      name: 'max_slot_wal_keep_size',
      type: 'INTEGER',
      default: 1024,
      min: 64,
      max: 65_536,
      unit: 'MB',
      description:
        'Size in MB of the write-ahead log that is kept for its readers: the archive and replicas. Beyond it they begin anew.',
    },
    {
      name: 'synchronous_commit',
      type: 'ENUM',
      default: 'on',
      options: ['on', 'off'],
      description: 'Whether a commit waits for the disk. With off, a crash can lose the last commits.',
    },
    {
      name: 'statement_timeout',
      type: 'INTEGER',
      default: 0,
      min: 0,
      max: 86_400_000,
      description: 'Time in milliseconds after which a statement is cancelled; 0 for never.',
    },
    {
      name: 'idle_in_transaction_session_timeout',
      type: 'INTEGER',
      default: 0,
      min: 0,
      max: 86_400_000,
      description: 'Time in milliseconds after which a session idle in a transaction is ended; 0 for never.',
    },
    {
      name: 'log_min_duration_statement',
      type: 'INTEGER',
      default: 1000,
      min: -1,
      max: 86_400_000,
      description: 'Statements that take at least this many milliseconds are logged; -1 for none, 0 for all.',
    },
  ],
  container: (facts) => ({
    arguments: optionsOf(facts),
    environment: environmentOf(facts),
    files: [accessFile(facts)],
  }),
  url: (credentials, address) => `postgresql://${authority(credentials, address)}/berth`,
  // By TCP: while the image initialises the volume, the server listens on its socket only.
  health: script('exec pg_isready --quiet --host=127.0.0.1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB"'),
  stopSeconds: 60,
  hardening: {
    user: '999:999',
    capabilities: [],
    // The image’s documentation does not say so; its entry point writes to these folders and the volume only.
    readOnlyRoot: true,
    tmpfs: ['/tmp', '/var/run/postgresql'],
    // Parallel queries share memory there, and 64 MB are soon used up.
    sharedMemoryMb: 256,
    openFiles: null,
  },
  metrics: postgresqlMetrics,
  logs: {
    entry: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \S+ \[\d+\] /,
    level: /^\S+ \S+ \S+ \[\d+\] ([A-Z]+\d?): /,
    slow: 'log_min_duration_statement',
    copy: null,
  },
  backup: {
    covers: 'The database berth with all schemas and rows. Roles, privileges and further databases are not in it.',
    // Without compression and encryption of its own: Berth does both as the backup flows.
    save: { while: 'RUNNING', command: script(`exec ${DUMP}`) },
    restore: {
      while: 'RUNNING',
      command: script(
        'exec pg_restore --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \\',
        '  --exit-on-error --single-transaction --no-owner --no-privileges',
      ),
    },
    afterRestore: null,
    // Reads every row of every table.
    verify: script(`exec ${DUMP} > /dev/null`),
  },
  pointInTime,
  replication,
  rotate: script(...setPassword('NEW_PASSWORD')),
  // Another major version needs pg_upgrade with the programs of both, which the image does not have.
  inPlaceUpgrades: [],
}
