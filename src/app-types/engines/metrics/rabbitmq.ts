import { type EngineMetrics, script } from '../engine.ts'
import {
  connections,
  diskUsage,
  type EngineMetric,
  engineMemory,
  megabytes,
  operations,
  perSecond,
  reported,
} from '../engine-metrics.ts'

const NAMES = [
  'connections',
  'channels',
  'queues',
  'consumers',
  'queue_messages_ready',
  'queue_messages_unacked',
  'process_resident_memory_bytes',
  'global_messages_received_total',
  'global_messages_delivered_total',
]

const count = (name: string, description: string, as: string): EngineMetric => ({
  name,
  description,
  unit: 'COUNT',
  combined: 'SUM',
  value: reported(`rabbitmq_${as}`),
})

export const rabbitmqMetrics: EngineMetrics = {
  // The node's own page for Prometheus, because its tools start a virtual machine each time.
  command: script(
    'printf "size_kb %s\\n" "$(du -sk /var/lib/rabbitmq | cut -f1)"',
    'exec 3<>/dev/tcp/127.0.0.1/15692',
    'printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3',
    `timeout 8 grep --text -E '^rabbitmq_(${NAMES.join('|')})[ {]' <&3`,
  ),
  series: [
    connections(reported('rabbitmq_connections')),
    diskUsage(reported('size_kb', { times: 1 / 1024 })),
    engineMemory(megabytes('rabbitmq_process_resident_memory_bytes')),
    operations(perSecond('rabbitmq_global_messages_received_total', 'rabbitmq_global_messages_delivered_total')),
    count('queue_depth', 'Messages in queues that wait for a consumer.', 'queue_messages_ready'),
    count('unacknowledged', 'Messages that consumers have taken and not acknowledged.', 'queue_messages_unacked'),
    count('queues', 'Queues of all virtual hosts.', 'queues'),
    count('consumers', 'Consumers of all queues.', 'consumers'),
    count('channels', 'Open channels of all connections.', 'channels'),
  ],
}
