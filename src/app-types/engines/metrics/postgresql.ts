import { type EngineMetrics, script } from '../engine.ts'
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
} from '../engine-metrics.ts'

/** The sessions of clients, without the one that asks. */
const CLIENTS = "pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"

export const postgresqlMetrics: EngineMetrics = {
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
