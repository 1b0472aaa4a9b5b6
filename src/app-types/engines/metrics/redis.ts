import { type EngineMetrics, script } from '../engine.ts'
import {
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

export const redisMetrics: EngineMetrics = {
  command: script(
    'echo keys:0',
    // Keys of each database, on a line that says more.
    "redis-cli -e info | tr -d '\\r' | sed 's/^db[0-9]*:keys=\\([0-9]*\\),.*/keys:\\1/'",
  ),
  series: [
    // Without the session that asks.
    connections(reported('connected_clients', { plus: -1 })),
    diskUsage(megabytes('aof_current_size')),
    engineMemory(megabytes('used_memory')),
    cacheHitRate(sharePercent('keyspace_hits', 'keyspace_misses')),
    operations(perSecond('total_commands_processed')),
    {
      name: 'blocked_clients',
      unit: 'COUNT',
      description: 'Clients that wait for an element or a message.',
      combined: 'SUM',
      value: reported('blocked_clients'),
    },
    { name: 'keys', unit: 'COUNT', description: 'Keys of all databases.', combined: 'MAX', value: reported('keys') },
    {
      name: 'evicted_keys',
      unit: 'PER_SECOND',
      description: 'Keys that were evicted because the memory was used up.',
      combined: 'SUM',
      value: perSecond('evicted_keys'),
    },
  ],
}
