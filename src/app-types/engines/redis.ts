import { authority, type Engine, type EngineFacts, type EngineMetrics, script } from './engine.ts'
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
} from './engine-metrics.ts'

const redisMetrics: EngineMetrics = {
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

// Redis keeps its slow log in memory. What came since the last time, oldest first, after the newest number; commands
// from inside of the container are Berth's own. Arguments are cut as Redis cuts them.
const PROGRAM = [
  'local since, lines = tonumber(ARGV[1]), {}',
  'local entries = redis.call("SLOWLOG", "GET", 256)',
  'local newest = entries[1] and entries[1][1] or -1',
  // A server that was started again counts from zero.
  'if newest < since then since = -1 end',
  'for at = #entries, 1, -1 do',
  '  local number, _, micros, words, client = unpack(entries[at])',
  '  if number > since and string.sub(client, 1, 10) ~= "127.0.0.1:" then',
  '    lines[#lines + 1] = string.format("slow command: %.3f ms, from %s: %s", micros / 1000, client, cjson.encode(words))',
  '  end',
  'end',
  'return { newest, unpack(lines) }',
].join('\n')

/** Writes new entries of the slow log to the output of the container's main process. */
const copyRedisSlowLog = script(
  // In memory, and gone with the container, as the slow log is.
  'seen=/tmp/slow-log-seen; since=-1; [ ! -s "$seen" ] || since=$(< "$seen")',
  `redis-cli -e eval '${PROGRAM}' 0 "$since" |`,
  '  { read -r newest; cat > /proc/1/fd/1; printf %s "$newest" > "$seen"; }',
)

const CONFIG_FILE = '/usr/local/etc/redis/redis.conf'

const configured = ({ dataPath, credentials, settings }: EngineFacts, more: readonly string[]) => ({
  // For redis-cli in the commands below.
  environment: { REDISCLI_AUTH: credentials.password },
  files: [
    {
      path: CONFIG_FILE,
      content: [
        `dir ${dataPath}`,
        'appendonly yes',
        `requirepass ${credentials.password}`,
        ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
        ...more,
        '',
      ].join('\n'),
    },
  ],
})

export const redis: Engine = {
  name: 'REDIS',
  title: 'Redis',
  versions: [
    { version: '8', label: 'Redis 8', image: 'redis:8' },
    { version: '7', label: 'Redis 7', image: 'redis:7' },
  ],
  defaultVersion: '8',
  protocol: 'redis',
  port: 6379,
  otherPorts: [],
  dataPath: '/data',
  // The user that `requirepass` protects.
  user: 'default',
  database: '0',
  limits: { diskMb: { min: 256, default: 2048, max: 262_144 }, containers: { min: 1, default: 1, max: 5 } },
  settings: [
    {
      name: 'maxmemory',
      type: 'INTEGER',
      default: 384,
      min: 16,
      max: 65_536,
      unit: 'mb',
      description: 'Memory in MB for data. Leave a quarter of the container’s memory for the server itself.',
    },
    {
      name: 'maxmemory-policy',
      type: 'ENUM',
      default: 'noeviction',
      options: [
        'noeviction',
        'allkeys-lru',
        'allkeys-lfu',
        'allkeys-random',
        'volatile-lru',
        'volatile-lfu',
        'volatile-random',
        'volatile-ttl',
      ],
      description: 'Which keys are evicted when the memory is used up; with noeviction, writes are refused.',
    },
    {
      name: 'maxclients',
      type: 'INTEGER',
      default: 1000,
      min: 10,
      max: 10_000,
      description: 'Maximum number of concurrent connections.',
    },
    {
      name: 'timeout',
      type: 'INTEGER',
      default: 0,
      min: 0,
      max: 86_400,
      description: 'Time in seconds after which an idle connection is closed; 0 for never.',
    },
    {
      name: 'databases',
      type: 'INTEGER',
      default: 16,
      min: 1,
      max: 1024,
      description: 'Number of databases.',
    },
    {
      name: 'appendfsync',
      type: 'ENUM',
      default: 'everysec',
      options: ['always', 'everysec', 'no'],
      description: 'When writes reach the disk: at once, once a second, or when the operating system decides.',
    },
    {
      name: 'slowlog-log-slower-than',
      type: 'INTEGER',
      default: 10_000,
      min: -1,
      max: 60_000_000,
      description: 'Time in microseconds from which on a command is in the slow log; -1 for none, 0 for all.',
    },
    {
      name: 'slowlog-max-len',
      type: 'INTEGER',
      default: 128,
      min: 1,
      max: 10_000,
      description: 'Number of commands that the slow log keeps.',
    },
  ],
  container: (facts) => ({ arguments: ['redis-server', CONFIG_FILE], ...configured(facts, []) }),
  url: (credentials, address) => `redis://${authority(credentials, address)}/0`,
  // redis-cli succeeds also with an error as the answer, such as LOADING.
  health: script('[ "$(redis-cli ping)" = PONG ]'),
  stopSeconds: 60,
  hardening: {
    user: '999:999',
    capabilities: [],
    // The image’s documentation does not say so; the server writes to its volume only. /tmp is for restoring.
    readOnlyRoot: true,
    tmpfs: ['/tmp'],
    sharedMemoryMb: null,
    // `maxclients` at most, and the files of the server itself.
    openFiles: 16_384,
  },
  metrics: redisMetrics,
  logs: {
    entry: /^\d+:[A-Z] \d\d |^slow command: /,
    level: /^\d+:[A-Z] \d\d \w+ \d{4} [\d:.]+ ([.*#-]) /,
    slow: 'slowlog-log-slower-than',
    copy: copyRedisSlowLog,
  },
  backup: {
    covers: 'All keys of all databases, as they were at one moment.',
    save: { while: 'RUNNING', command: script('exec redis-cli --rdb -') },
    restore: {
      while: 'STOPPED',
      // A server that starts with an append-only file reads nothing else. So one without clients reads the backup, and
      // writes the file: the way that the documentation of persistence describes.
      command: script(
        'unset REDISCLI_AUTH',
        'cd /data',
        'cat > restore.rdb',
        "redis-server --dir /data --dbfilename restore.rdb --appendonly no --save '' \\",
        '  --port 0 --unixsocket /tmp/restore.sock >&2 &',
        'server=$!',
        'ask() { redis-cli -s /tmp/restore.sock "$@"; }',
        // The server ends by itself if the backup is damaged.
        'until [ "$(ask ping 2>/dev/null)" = PONG ]; do kill -0 "$server"; sleep 0.1; done',
        'ask config set appendonly yes >&2',
        'written() { ask info persistence | tr -d "\\r" | grep -c -x -e aof_rewrite_in_progress:0 -e aof_rewrite_scheduled:0; }',
        'until [ "$(written)" = 2 ]; do kill -0 "$server"; sleep 0.1; done',
        'ask info persistence | tr -d "\\r" | grep -q -x aof_last_bgrewrite_status:ok',
        'ask shutdown',
        'wait "$server"',
        'rm restore.rdb',
      ),
    },
    afterRestore: null,
    verify: script('redis-cli -e info keyspace', 'redis-cli -e dbsize'),
  },
  pointInTime: null,
  replication: {
    // It copies the first server by itself, again whenever that no longer has what the copy needs.
    container: (facts) => ({
      entrypoint: script(`exec redis-server ${CONFIG_FILE} --replicaof "$PRIMARY" 6379`),
      arguments: [],
      ...configured(facts, [`masterauth ${facts.credentials.password}`]),
    }),
    // Connected, it is as far as the last bytes that have come; otherwise it counts since when it is not.
    lag: script(
      'while IFS=: read -r name value; do',
      '  case $name in master_link_status) link=$value ;; master_link_down_since_seconds) down=$value ;; esac',
      'done < <(redis-cli info replication | tr -d "\\r")',
      'if [ "$link" = up ]; then echo 0; elif [ "$down" -ge 0 ]; then echo "$down"; fi',
    ),
  },
  rotate: script(
    'for REDISCLI_AUTH in "$NEW_PASSWORD" "$OLD_PASSWORD"; do',
    '  export REDISCLI_AUTH',
    '  [ "$(redis-cli ping)" != PONG ] || break',
    'done',
    'printf %s "$NEW_PASSWORD" | redis-cli -e -x config set requirepass',
  ),
  // A newer server reads the files of older ones; an older one does not read its.
  inPlaceUpgrades: [{ from: '7', to: '8' }],
}
