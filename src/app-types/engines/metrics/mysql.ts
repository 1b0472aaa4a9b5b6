import { type EngineMetrics, script } from '../engine.ts'
import {
  activeOperations,
  cacheHitRate,
  connections,
  diskUsage,
  megabytes,
  missedPercent,
  operations,
  perSecond,
  reported,
  waitingOperations,
} from '../engine-metrics.ts'

const VARIABLES = [
  'Threads_connected',
  'Threads_running',
  'Questions',
  'Slow_queries',
  'Innodb_row_lock_current_waits',
  'Innodb_buffer_pool_read_requests',
  'Innodb_buffer_pool_reads',
]

export const mysqlMetrics: EngineMetrics = {
  command: script(
    'export MYSQL_PWD="$MYSQL_ROOT_PASSWORD"',
    "exec mysql --protocol=socket --user=root --batch --skip-column-names --force << 'SQL'",
    // What Berth asks is no slow statement. Sizes would be those of yesterday otherwise.
    'SET SESSION long_query_time = 3600;',
    '/*!80000 SET SESSION information_schema_stats_expiry = 0 */;',
    `SHOW GLOBAL STATUS WHERE Variable_name IN (${VARIABLES.map((name) => `'${name}'`).join(', ')});`,
    "SELECT 'size', SUM(data_length + index_length) FROM information_schema.tables;",
    'SQL',
  ),
  series: [
    // Without the session that asks.
    connections(reported('Threads_connected', { plus: -1 })),
    diskUsage(megabytes('size')),
    cacheHitRate(missedPercent('Innodb_buffer_pool_reads', 'Innodb_buffer_pool_read_requests')),
    operations(perSecond('Questions')),
    activeOperations(reported('Threads_running', { plus: -1 })),
    waitingOperations(reported('Innodb_row_lock_current_waits')),
    {
      name: 'slow_operations',
      unit: 'PER_SECOND',
      description: 'Statements that took longer than `long_query_time`.',
      combined: 'SUM',
      value: perSecond('Slow_queries'),
    },
  ],
}
