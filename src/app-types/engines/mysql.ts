import { authority, type Engine, type EngineMetrics, ONE_CONTAINER, script } from './engine.ts'
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
} from './engine-metrics.ts'

const VARIABLES = [
  'Threads_connected',
  'Threads_running',
  'Questions',
  'Slow_queries',
  'Innodb_row_lock_current_waits',
  'Innodb_buffer_pool_read_requests',
  'Innodb_buffer_pool_reads',
]

const mysqlMetrics: EngineMetrics = {
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

// MYSQL_PWD keeps the password out of the list of processes.
const AS_ROOT = 'export MYSQL_PWD="$MYSQL_ROOT_PASSWORD"'
// GTIDs belong to the server that wrote them. Tablespaces are the administrator's, and are made anew.
const DUMP = [
  'exec mysqldump --protocol=socket --user=root --single-transaction --quick --routines --triggers --events \\',
  '  --hex-blob --no-tablespaces --set-gtid-purged=OFF "$MYSQL_DATABASE"',
] as const

export const mysql: Engine = {
  name: 'MYSQL',
  title: 'MySQL',
  // The long-term releases; innovation releases are not supported for long enough.
  versions: [
    { version: '9_7', label: 'MySQL 9.7 LTS', image: 'mysql:9.7' },
    { version: '8_4', label: 'MySQL 8.4 LTS', image: 'mysql:8.4' },
  ],
  defaultVersion: '9_7',
  protocol: 'mysql',
  port: 3306,
  otherPorts: [],
  dataPath: '/var/lib/mysql',
  imageVariables: {
    user: 'MYSQL_USER',
    password: 'MYSQL_PASSWORD',
    database: 'MYSQL_DATABASE',
    rootPassword: 'MYSQL_ROOT_PASSWORD',
  },
  user: 'berth',
  database: 'berth',
  limits: { diskMb: { min: 1024, default: 10_240, max: 1_048_576 }, containers: ONE_CONTAINER },
  settings: [
    {
      name: 'max_connections',
      type: 'INTEGER',
      default: 151,
      min: 10,
      max: 5000,
      description: 'Maximum number of concurrent connections. Each one takes memory.',
    },
    {
      name: 'innodb_buffer_pool_size',
      type: 'INTEGER',
      default: 128,
      min: 16,
      max: 65_536,
      unit: 'M',
      description: 'Memory in MB in which InnoDB caches data and indexes.',
    },
    {
      name: 'innodb_flush_log_at_trx_commit',
      type: 'ENUM',
      default: '1',
      options: ['0', '1', '2'],
      description: 'When commits reach the disk: 1 at once; 0 and 2 about once a second, which a crash can lose.',
    },
    {
      name: 'innodb_lock_wait_timeout',
      type: 'INTEGER',
      default: 50,
      min: 1,
      max: 3600,
      description: 'Time in seconds that a transaction waits for a row lock.',
    },
    {
      name: 'max_allowed_packet',
      type: 'INTEGER',
      default: 64,
      min: 1,
      max: 1024,
      unit: 'M',
      description: 'Maximum size in MB of one packet, and so of one value or statement.',
    },
    {
      name: 'wait_timeout',
      type: 'INTEGER',
      default: 28_800,
      min: 1,
      max: 31_536_000,
      description: 'Time in seconds after which an idle connection is closed.',
    },
    {
      name: 'transaction_isolation',
      type: 'ENUM',
      default: 'REPEATABLE-READ',
      options: ['READ-UNCOMMITTED', 'READ-COMMITTED', 'REPEATABLE-READ', 'SERIALIZABLE'],
      description: 'Default isolation level of transactions.',
    },
    {
      name: 'slow_query_log',
      type: 'BOOLEAN',
      default: true,
      description: 'Whether slow statements are logged.',
    },
    {
      name: 'long_query_time',
      type: 'NUMBER',
      default: 1,
      min: 0,
      max: 3600,
      description: 'Time in seconds from which on a statement is slow; 0 for all.',
    },
  ],
  container: ({ credentials, settings }) => ({
    arguments: [
      ...Object.entries(settings).map(([name, value]) => `--${name.replaceAll('_', '-')}=${value}`),
      '--slow-query-log-file=/dev/stdout',
    ],
    environment: {
      MYSQL_USER: credentials.user,
      MYSQL_PASSWORD: credentials.password,
      MYSQL_DATABASE: 'berth',
      MYSQL_ROOT_PASSWORD: credentials.adminPassword,
      // Root is for the commands below, which run inside of the container.
      MYSQL_ROOT_HOST: 'localhost',
    },
    files: [],
  }),
  url: (credentials, address) => `mysql://${authority(credentials, address)}/berth`,
  // By TCP: while the image initialises the volume, the server has no network.
  health: script(
    'export MYSQL_PWD="$MYSQL_PASSWORD"',
    'exec mysqladmin --silent --protocol=tcp --host=127.0.0.1 --user="$MYSQL_USER" ping',
  ),
  stopSeconds: 120,
  hardening: {
    user: '999:999',
    capabilities: [],
    // The image’s documentation does not say so; its entry point writes to these folders and the volume only.
    readOnlyRoot: true,
    tmpfs: ['/tmp', '/var/run/mysqld'],
    sharedMemoryMb: null,
    openFiles: null,
  },
  metrics: mysqlMetrics,
  logs: {
    // Its log of errors, and its log of slow statements.
    entry: /^\d{4}-\d\d-\d\d[T ]\s?\d|^# (Time|User@Host): /,
    level: /^\d{4}-\d\d-\d\d[T ]\s?\d\S* \d+ \[(\w+)\]/,
    slow: 'long_query_time',
    copy: null,
  },
  backup: {
    covers: 'The database berth with tables, rows, routines, triggers and events. Further users are not in it.',
    save: { while: 'RUNNING', command: script(AS_ROOT, ...DUMP) },
    restore: {
      while: 'RUNNING',
      command: script(AS_ROOT, 'exec mysql --protocol=socket --user=root "$MYSQL_DATABASE"'),
    },
    afterRestore: null,
    // Reads every row of every table.
    verify: script(AS_ROOT, `${DUMP.join('\n')} > /dev/null`),
  },
  pointInTime: null,
  replication: null,
  rotate: script(
    'for MYSQL_PWD in "$NEW_ADMIN_PASSWORD" "$OLD_ADMIN_PASSWORD"; do',
    '  export MYSQL_PWD',
    "  ! mysql --protocol=socket --user=root --execute='SELECT 1' >&2 || break",
    'done',
    // By standard input, and not in the list of processes. MySQL hides passwords in its logs, but MariaDB does not.
    'quoted() { printf "\'%s\'" "$(sed -e \'s/[\\\\]/&&/g\' -e "s/\'/\'\'/g" <<< "$1")"; }',
    'mysql --protocol=socket --user=root << SQL',
    'SET SESSION long_query_time = 31536000;',
    'ALTER USER $(quoted "$MYSQL_USER") IDENTIFIED BY $(quoted "$NEW_PASSWORD");',
    "ALTER USER 'root'@'localhost' IDENTIFIED BY $(quoted \"$NEW_ADMIN_PASSWORD\");",
    'SQL',
  ),
  // The server upgrades its data when it starts. From a long-term release to the next one only, and never back.
  inPlaceUpgrades: [{ from: '8_4', to: '9_7' }],
}
