import { type EngineMetrics, script } from '../engine.ts'
import {
  activeOperations,
  cacheHitRate,
  connections,
  diskUsage,
  engineMemory,
  megabytes,
  operations,
  perSecond,
  reported,
  sharePercent,
} from '../engine-metrics.ts'

export const clickhouseMetrics: EngineMetrics = {
  command: script(
    'exec clickhouse-client --format TSV --max_execution_time 8 --query "',
    "  SELECT if(metric LIKE '%Connection', 'connections', metric), toFloat64(value) FROM system.metrics",
    "    WHERE metric IN ('TCPConnection', 'HTTPConnection', 'Query', 'MemoryTracking')",
    // Both tables have a Query: here how many have run.
    "  UNION ALL SELECT concat('total_', event), toFloat64(value) FROM system.events",
    "    WHERE event IN ('Query', 'FailedQuery', 'MarkCacheHits', 'MarkCacheMisses', 'InsertedRows')",
    "  UNION ALL SELECT 'size', toFloat64(sum(bytes_on_disk)) FROM system.parts",
    "  UNION ALL SELECT 'parts', toFloat64(count()) FROM system.parts WHERE active\"",
  ),
  series: [
    // Without the session that asks.
    connections(reported('connections', { plus: -1 })),
    diskUsage(megabytes('size')),
    engineMemory(megabytes('MemoryTracking')),
    cacheHitRate(sharePercent('total_MarkCacheHits', 'total_MarkCacheMisses')),
    operations(perSecond('total_Query')),
    activeOperations(reported('Query', { plus: -1 })),
    {
      name: 'failed_operations',
      unit: 'PER_SECOND',
      description: 'Queries that failed.',
      combined: 'SUM',
      value: perSecond('total_FailedQuery'),
    },
    {
      name: 'inserted_rows',
      unit: 'PER_SECOND',
      description: 'Rows that were inserted.',
      combined: 'SUM',
      value: perSecond('total_InsertedRows'),
    },
    {
      name: 'parts',
      unit: 'COUNT',
      description: 'Active parts of tables; thousands of a table delay inserts.',
      combined: 'SUM',
      value: reported('parts'),
    },
  ],
}
