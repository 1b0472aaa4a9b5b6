import { authority, type Engine, type EngineMetrics, ONE_CONTAINER, script } from './engine.ts'
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
} from './engine-metrics.ts'

const clickhouseMetrics: EngineMetrics = {
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

const BACKUPS = '/var/lib/clickhouse/backups'

/** Settings of the user's profile; the others are the server's. */
const OF_PROFILE = new Set(['max_execution_time', 'max_memory_usage'])

/** Values are numbers and words of a list, and so need no escapes. */
const elements = (settings: Readonly<Record<string, string>>, isOfProfile: boolean): string =>
  Object.entries(settings)
    .filter(([name]) => OF_PROFILE.has(name) === isOfProfile)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('\n')

export const clickhouse: Engine = {
  name: 'CLICKHOUSE',
  title: 'ClickHouse',
  // The long-term releases; others are supported for three months.
  versions: [
    { version: '26_3', label: 'ClickHouse 26.3 LTS', image: 'clickhouse:26.3' },
    { version: '25_8', label: 'ClickHouse 25.8 LTS', image: 'clickhouse:25.8' },
  ],
  defaultVersion: '26_3',
  protocol: 'clickhouse',
  port: 9000,
  otherPorts: [{ port: 8123, about: 'HTTP interface.' }],
  dataPath: '/var/lib/clickhouse',
  user: 'berth',
  database: 'berth',
  limits: { diskMb: { min: 2048, default: 20_480, max: 2_097_152 }, containers: ONE_CONTAINER },
  settings: [
    {
      name: 'max_connections',
      type: 'INTEGER',
      default: 1024,
      min: 16,
      max: 65_536,
      description: 'Maximum number of concurrent connections.',
    },
    {
      name: 'max_concurrent_queries',
      type: 'INTEGER',
      default: 100,
      min: 1,
      max: 10_000,
      description: 'Maximum number of queries that run at once.',
    },
    {
      name: 'max_server_memory_usage_to_ram_ratio',
      type: 'NUMBER',
      default: 0.9,
      min: 0.1,
      max: 0.95,
      description: 'Part of the container’s memory that the server may use.',
    },
    {
      name: 'mark_cache_size',
      type: 'INTEGER',
      default: 134_217_728,
      min: 16_777_216,
      max: 68_719_476_736,
      description: 'Maximum size in bytes of the cache of index marks.',
    },
    {
      name: 'keep_alive_timeout',
      type: 'INTEGER',
      default: 30,
      min: 1,
      max: 3600,
      description: 'Time in seconds after which an idle HTTP connection is closed.',
    },
    {
      name: 'log_level',
      type: 'ENUM',
      default: 'information',
      options: ['trace', 'debug', 'information', 'warning', 'error'],
      description: 'Minimum log level.',
    },
    {
      name: 'max_memory_usage',
      type: 'INTEGER',
      default: 0,
      min: 0,
      max: 1_099_511_627_776,
      description: 'Maximum memory in bytes of one query; 0 for no limit but the server’s.',
    },
    {
      name: 'max_execution_time',
      type: 'INTEGER',
      default: 0,
      min: 0,
      max: 86_400,
      description: 'Time in seconds after which a query is cancelled; 0 for never.',
    },
  ],
  container: ({ credentials, settings: { log_level: level, ...settings } }) => ({
    arguments: [],
    environment: {
      CLICKHOUSE_USER: credentials.user,
      CLICKHOUSE_PASSWORD: credentials.password,
      CLICKHOUSE_DB: 'berth',
      // The user may create further users and databases.
      CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '1',
    },
    files: [
      {
        path: '/etc/clickhouse-server/config.d/berth.xml',
        content: [
          '<clickhouse>',
          elements(settings, false),
          // Its log goes to the container's output.
          `<logger><console>1</console><level>${level}</level></logger>`,
          `<backups><allowed_path>${BACKUPS}/</allowed_path></backups>`,
          '</clickhouse>\n',
        ].join('\n'),
      },
      {
        path: '/etc/clickhouse-server/users.d/berth.xml',
        content: `<clickhouse><profiles><default>\n${elements(settings, true)}\n</default></profiles></clickhouse>\n`,
      },
    ],
  }),
  url: (credentials, address) => `clickhouse://${authority(credentials, address)}/berth`,
  // While the image initialises the volume, the server listens on 127.0.0.1 only, and not on every loopback address.
  health: script('exec wget --quiet --spider --tries=1 --timeout=5 http://127.0.0.2:8123/ping'),
  stopSeconds: 60,
  hardening: {
    user: '101:101',
    capabilities: [],
    // The entry point writes the user to /etc/clickhouse-server.
    readOnlyRoot: false,
    tmpfs: ['/tmp'],
    sharedMemoryMb: null,
    // As the image's documentation asks for.
    openFiles: 262_144,
  },
  metrics: clickhouseMetrics,
  logs: {
    entry: /^\d{4}\.\d\d\.\d\d \d\d:\d\d:\d\d/,
    level: /^\S+ \S+ \[ ?\d+ ?\] \{[^}]*\} <(\w+)> /,
    // Slow queries are in the table system.query_log.
    slow: null,
    copy: null,
  },
  backup: {
    covers: 'The database berth with tables, views and rows. Further databases and users are not in it.',
    // The engine writes backups to files only: while one is taken or restored, it needs its size on the volume. The
    // client takes user and password from the environment.
    save: {
      while: 'RUNNING',
      command: script(
        `file=save-$$.tar; trap 'rm -f "${BACKUPS}/$file"' EXIT`,
        'clickhouse-client --query "BACKUP DATABASE \\`$CLICKHOUSE_DB\\` TO File(\'$file\')" >&2',
        `cat "${BACKUPS}/$file"`,
      ),
    },
    restore: {
      while: 'RUNNING',
      command: script(
        `file=restore-$$.tar; trap 'rm -f "${BACKUPS}/$file"' EXIT`,
        `mkdir -p ${BACKUPS}`,
        `cat > "${BACKUPS}/$file"`,
        'clickhouse-client --query "RESTORE DATABASE \\`$CLICKHOUSE_DB\\` FROM File(\'$file\')" >&2',
      ),
    },
    afterRestore: null,
    verify: script(
      'exec clickhouse-client --query "SELECT count(), sum(total_rows) FROM system.tables WHERE database = \'$CLICKHOUSE_DB\'"',
    ),
  },
  // The entry point wrote the user to this file. The server reads a changed one by itself, but not at once.
  pointInTime: null,
  replication: null,
  rotate: script(
    'file=/etc/clickhouse-server/users.d/default-user.xml',
    'content=$(< "$file")',
    `printf "%s\\n" "\${content//"$OLD_PASSWORD"/"$NEW_PASSWORD"}" > "$file.new"`,
    'mv "$file.new" "$file"',
    'export CLICKHOUSE_PASSWORD',
    'for CLICKHOUSE_PASSWORD in "$OLD_PASSWORD" "$NEW_PASSWORD"; do',
    "  clickhouse-client --query 'SYSTEM RELOAD CONFIG' >&2 || true",
    'done',
    "exec clickhouse-client --query 'SELECT 1' >&2",
  ),
  // Data of versions up to a year older is read.
  inPlaceUpgrades: [{ from: '25_8', to: '26_3' }],
}
