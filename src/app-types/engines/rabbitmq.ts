import { authority, type Engine, type EngineMetrics, ONE_CONTAINER, script } from './engine.ts'
import {
  connections,
  diskUsage,
  type EngineMetric,
  engineMemory,
  megabytes,
  operations,
  perSecond,
  reported,
} from './engine-metrics.ts'

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

const rabbitmqMetrics: EngineMetrics = {
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

/**
 * A client that finds no port mapper (epmd) starts one, which ends with the client. The node that is starting meanwhile
 * has its name there, and without it answers no client until it looks again, after a minute: only the node starts one.
 */
const withoutEpmd = (...lines: [string, ...string[]]) => script('export ERL_AFLAGS="-start_epmd false"', ...lines)

/**
 * Gives the user the password of standard input. Without options: from 4 on, `rabbitmqctl` reads its input only where the
 * arguments are the command and the user, and ends with 70 otherwise.
 */
const changePassword = (variable: string): string =>
  `printf "%s\\n" "$${variable}" | rabbitmqctl change_password "$RABBITMQ_DEFAULT_USER"`

export const rabbitmq: Engine = {
  name: 'RABBITMQ',
  title: 'RabbitMQ',
  // There is no supported release of the previous major version, 3.
  versions: [
    { version: '4_3', label: 'RabbitMQ 4.3', image: 'rabbitmq:4.3' },
    { version: '4_2', label: 'RabbitMQ 4.2', image: 'rabbitmq:4.2' },
  ],
  defaultVersion: '4_3',
  protocol: 'amqp',
  port: 5672,
  otherPorts: [{ port: 15_692, about: 'Metrics for Prometheus.' }],
  dataPath: '/var/lib/rabbitmq',
  user: 'berth',
  database: 'berth',
  limits: { diskMb: { min: 512, default: 5120, max: 262_144 }, containers: ONE_CONTAINER },
  settings: [
    {
      name: 'vm_memory_high_watermark.absolute',
      type: 'INTEGER',
      default: 256,
      min: 64,
      max: 65_536,
      // Relative to the machine's memory, it would ignore the container's limit.
      unit: 'MB',
      description: 'Memory in MB from which on publishers are blocked. About 60 % of the container’s memory is usual.',
    },
    {
      name: 'disk_free_limit.absolute',
      type: 'INTEGER',
      default: 256,
      min: 50,
      max: 65_536,
      unit: 'MB',
      description: 'Free disk space in MB below which publishers are blocked.',
    },
    {
      name: 'heartbeat',
      type: 'INTEGER',
      default: 60,
      min: 0,
      max: 3600,
      description: 'Time in seconds after which a silent connection is closed; 0 for never.',
    },
    {
      name: 'channel_max',
      type: 'INTEGER',
      default: 2047,
      min: 1,
      max: 65_535,
      description: 'Maximum number of channels of a connection.',
    },
    {
      name: 'max_message_size',
      type: 'INTEGER',
      default: 16_777_216,
      min: 1024,
      max: 536_870_912,
      description: 'Maximum size of a message in bytes.',
    },
    {
      name: 'log.console.level',
      type: 'ENUM',
      default: 'info',
      options: ['debug', 'info', 'warning', 'error'],
      description: 'Minimum log level.',
    },
  ],
  container: ({ credentials, settings }) => ({
    arguments: ['rabbitmq-server'],
    environment: {
      // The same in every environment: data can be restored only where the node has the name that wrote it.
      RABBITMQ_NODENAME: 'rabbit@localhost',
      // Threads that have nothing to do would spin, and use up the container's share of the processor.
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+sbwt none +sbwtdcpu none +sbwtdio none',
      RABBITMQ_DEFAULT_USER: credentials.user,
      RABBITMQ_DEFAULT_PASS: credentials.password,
      RABBITMQ_DEFAULT_VHOST: 'berth',
    },
    files: [
      {
        path: '/etc/rabbitmq/conf.d/90-berth.conf',
        content: [...Object.entries(settings).map(([name, value]) => `${name} = ${value}`), ''].join('\n'),
      },
    ],
  }),
  url: (credentials, address) => `amqp://${authority(credentials, address)}/berth`,
  // The node opens its ports at the end of its start, and answers for metrics only while it works. Its own tools start a
  // virtual machine of Erlang each time, which takes half a second of CPU.
  health: script(
    'exec 3<>/dev/tcp/127.0.0.1/5672 4<>/dev/tcp/127.0.0.1/15692',
    'printf "GET / HTTP/1.0\\r\\n\\r\\n" >&4',
    'read -r -t 8 status <&4 && [[ $status == HTTP/* ]]',
  ),
  stopSeconds: 120,
  hardening: {
    user: '999:999',
    capabilities: [],
    // Nothing says that the image runs without a writable root.
    readOnlyRoot: false,
    tmpfs: ['/tmp'],
    sharedMemoryMb: null,
    openFiles: 65_536,
  },
  metrics: rabbitmqMetrics,
  logs: {
    entry: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/,
    level: /^\S+ \S+ \[(\w+)\] /,
    slow: null,
    copy: null,
  },
  backup: {
    covers:
      'Everything: virtual hosts, users, exchanges, queues and persistent messages. The broker is stopped meanwhile.',
    // Messages can be copied only while the node is stopped. A running one exports its definitions, without them.
    save: { while: 'STOPPED', command: script('exec tar --create --directory=/var/lib/rabbitmq .') },
    restore: { while: 'STOPPED', command: script('exec tar --extract --directory=/var/lib/rabbitmq') },
    // The user came with the backup, and with the password of that time. The new one is read from standard input.
    afterRestore: withoutEpmd(changePassword('RABBITMQ_DEFAULT_PASS')),
    verify: withoutEpmd(
      'rabbitmqctl --quiet await_startup --timeout 60',
      'exec rabbitmqctl --quiet list_queues --vhost "$RABBITMQ_DEFAULT_VHOST" name messages',
    ),
  },
  pointInTime: null,
  replication: null,
  rotate: withoutEpmd(changePassword('NEW_PASSWORD')),
  // A node refuses to start on data with feature flags that it requires and that were never enabled.
  inPlaceUpgrades: [
    { from: '4_2', to: '4_3', before: withoutEpmd('exec rabbitmqctl --quiet enable_feature_flag all') },
  ],
}
