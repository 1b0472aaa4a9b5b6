import { authority, type Engine, type EngineCommand, type EngineMetrics, ONE_CONTAINER, script } from './engine.ts'
import {
  activeOperations,
  cacheHitRate,
  connections,
  diskUsage,
  engineMemory,
  megabytes,
  missedPercent,
  operations,
  perSecond,
  reported,
  waitingOperations,
} from './engine-metrics.ts'

const PROGRAM = `
  const status = admin.adminCommand({ serverStatus: 1 })
  const cache = status.wiredTiger?.cache ?? {}
  const { totalSize } = admin.adminCommand({ listDatabases: 1 })
  const values = {
    connections: status.connections?.current,
    size: totalSize,
    memory: cache["bytes currently in the cache"],
    requested: cache["pages requested from the cache"],
    missed: cache["pages read into cache"],
    operations: Object.values(status.opcounters ?? {}).reduce((sum, count) => sum + Number(count) || sum, 0),
    active: status.globalLock?.activeClients?.total,
    waiting: status.globalLock?.currentQueue?.total,
  }
  for (const [name, value] of Object.entries(values)) if (value !== undefined) print(name + " " + Number(value))`

/** `inShell` runs a program of the engine's shell that has signed in. */
const mongodbMetrics = (inShell: (javascript: string) => EngineCommand): EngineMetrics => ({
  command: inShell(PROGRAM),
  series: [
    // Without the session that asks.
    connections(reported('connections', { plus: -1 })),
    diskUsage(megabytes('size')),
    engineMemory(megabytes('memory')),
    cacheHitRate(missedPercent('missed', 'requested')),
    operations(perSecond('operations')),
    activeOperations(reported('active')),
    waitingOperations(reported('waiting')),
  ],
})

// The tools read the password from a file, which this way is none: it is not in the list of processes.
const TOOL_LOGIN =
  '--config=<(printf \'password: "%s"\\n\' "$MONGO_INITDB_ROOT_PASSWORD") ' +
  '--username="$MONGO_INITDB_ROOT_USERNAME" --authenticationDatabase=admin'

/** The shell signs in by script, so that the password is not in the list of processes. */
const inShell = (javascript: string) =>
  script(
    "exec mongosh --quiet --nodb --eval '",
    '  const { MONGO_INITDB_ROOT_USERNAME: user, MONGO_INITDB_ROOT_PASSWORD: password } = process.env',
    '  const admin = connect("mongodb://127.0.0.1:27017/admin")',
    '  admin.auth(user, password)',
    `  ${javascript}`,
    "'",
  )

/**
 * The command `ping` of the wire protocol (OP_MSG), which needs no user. The shell would take a second of CPU to ask it,
 * every time.
 */
const PING = [
  '\\x33\\0\\0\\0',
  '\\1\\0\\0\\0',
  '\\0\\0\\0\\0',
  '\\xdd\\x07\\0\\0',
  '\\0\\0\\0\\0',
  '\\0',
  '\\x1e\\0\\0\\0\\x10ping\\0\\1\\0\\0\\0\\2$db\\0\\6\\0\\0\\0admin\\0\\0',
].join('')

export const mongodb: Engine = {
  name: 'MONGODB',
  title: 'MongoDB',
  versions: [
    { version: '8_0', label: 'MongoDB 8.0', image: 'mongo:8.0' },
    { version: '7_0', label: 'MongoDB 7.0', image: 'mongo:7.0' },
  ],
  defaultVersion: '8_0',
  protocol: 'mongodb',
  port: 27_017,
  otherPorts: [],
  dataPath: '/data/db',
  user: 'berth',
  database: 'berth',
  limits: { diskMb: { min: 1024, default: 10_240, max: 1_048_576 }, containers: ONE_CONTAINER },
  settings: [
    {
      name: 'wiredTigerCacheSizeGB',
      type: 'NUMBER',
      default: 0.25,
      min: 0.25,
      max: 64,
      description: 'Memory in GB for the cache of the storage engine. Half of the container’s memory is usual.',
    },
    {
      name: 'maxConns',
      type: 'INTEGER',
      default: 1000,
      min: 10,
      max: 65_536,
      description: 'Maximum number of concurrent connections.',
    },
    {
      name: 'slowms',
      type: 'INTEGER',
      default: 100,
      min: 0,
      max: 3_600_000,
      description: 'Time in milliseconds from which on an operation is slow and is logged.',
    },
    {
      name: 'journalCommitInterval',
      type: 'INTEGER',
      default: 100,
      min: 1,
      max: 500,
      description: 'Maximum time in milliseconds between two writes of the journal to disk.',
    },
    {
      name: 'ttlMonitorEnabled',
      type: 'BOOLEAN',
      default: true,
      description: 'Whether documents that a TTL index has expired are deleted.',
    },
    {
      name: 'notablescan',
      type: 'BOOLEAN',
      default: false,
      description: 'Whether queries that would read a whole collection are refused.',
    },
  ],
  container: ({ credentials, settings: { ttlMonitorEnabled, notablescan, ...options } }) => ({
    arguments: [
      'mongod',
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      // These are parameters and not options of their own.
      '--setParameter',
      `ttlMonitorEnabled=${ttlMonitorEnabled}`,
      '--setParameter',
      `notablescan=${notablescan}`,
    ],
    environment: {
      MONGO_INITDB_ROOT_USERNAME: credentials.user,
      MONGO_INITDB_ROOT_PASSWORD: credentials.password,
      MONGO_INITDB_DATABASE: 'berth',
    },
    files: [],
  }),
  // The user lives in the database admin, and so signs in there.
  url: (credentials, address) => `mongodb://${authority(credentials, address)}/berth?authSource=admin`,
  // While the image initialises the volume, the server listens on 127.0.0.1 only, and not on every loopback address.
  health: script(
    'exec 3<> /dev/tcp/127.0.0.2/27017',
    `printf '${PING}' >&3`,
    "answer=$(timeout 5 head --bytes=38 <&3 | od -An -v -tx1 | tr -d ' \\n')",
    // { ok: 1.0 }
    '[[ "$answer" == *016f6b00000000000000f03f* ]]',
  ),
  stopSeconds: 60,
  hardening: {
    user: '999:999',
    capabilities: [],
    // The image’s documentation does not say so; its entry point writes to these folders and the volume only.
    readOnlyRoot: true,
    // A volume of the image that only config servers use; in memory, no anonymous volume is made for it.
    tmpfs: ['/tmp', '/data/configdb'],
    sharedMemoryMb: null,
    openFiles: null,
  },
  metrics: mongodbMetrics(inShell),
  logs: {
    entry: /^\{"t":/,
    level: /^\{"t":\{"\$date":"[^"]+"\},"s":"([A-Z]\d?)"/,
    slow: 'slowms',
    copy: null,
  },
  backup: {
    // A server without an oplog has no moment that all collections share.
    covers:
      'All databases but admin and config, each collection as it is when it is read. Further users are not in it.',
    save: { while: 'RUNNING', command: script(`exec mongodump --quiet ${TOOL_LOGIN} --archive`) },
    restore: {
      while: 'RUNNING',
      command: script(
        `exec mongorestore --quiet ${TOOL_LOGIN} --archive --stopOnError \\`,
        // Otherwise the user would get the password that it had when the backup was taken.
        "  --nsExclude='admin.*' --nsExclude='config.*'",
      ),
    },
    afterRestore: null,
    verify: inShell(`
  const names = admin.adminCommand({ listDatabases: 1, nameOnly: true }).databases.map(({ name }) => name)
  for (const name of names.filter((one) => !["admin", "config", "local"].includes(one))) {
    const database = admin.getSiblingDB(name)
    for (const { name: collection } of database.getCollectionInfos({ type: "collection" }))
      if (!database.getCollection(collection).validate({ full: true }).valid) throw new Error(name + "." + collection)
  }`),
  },
  pointInTime: null,
  replication: null,
  rotate: script(
    "exec mongosh --quiet --nodb --eval '",
    '  const { MONGO_INITDB_ROOT_USERNAME: user, OLD_PASSWORD, NEW_PASSWORD } = process.env',
    '  const admin = connect("mongodb://127.0.0.1:27017/admin")',
    '  try { admin.auth(user, NEW_PASSWORD) } catch { admin.auth(user, OLD_PASSWORD) }',
    '  admin.changeUserPassword(user, NEW_PASSWORD)',
    "'",
  ),
  inPlaceUpgrades: [
    // Features of the new version stay off until its compatibility version is set; there is no way back then.
    {
      from: '7_0',
      to: '8_0',
      after: inShell('admin.adminCommand({ setFeatureCompatibilityVersion: "8.0", confirm: true })'),
    },
  ],
}
