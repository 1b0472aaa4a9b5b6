import { authority, type Engine, type EngineMetrics, script } from './engine.ts'
import { connections, diskUsage, operations, perSecond, reported } from './engine-metrics.ts'

const COUNTERS = {
  requests: 'httpd/requests',
  reads: 'database_reads',
  writes: 'database_writes',
  databases: 'open_databases',
}

const MB_PER_KB = 1 / 1024

/** `request` defines a function of the shell that asks the server, and sets `answer`. */
const couchdbMetrics = (request: string): EngineMetrics => ({
  command: script(
    request,
    // The kernel's table of sockets: 1760 is the port, 01 is ESTABLISHED. Before there is one of our own.
    'printf "connections %s\\n" "$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -c ":1760 [0-9A-F]*:[0-9A-F]* 01 ")"',
    'printf "size_kb %s\\n" "$(du -sk /opt/couchdb/data | cut -f1)"',
    ...Object.entries(COUNTERS).flatMap(([name, path]) => [
      `request GET /_node/_local/_stats/couchdb/${path} "$COUCHDB_PASSWORD" "" || true`,
      `number=\${answer##*'"value":'}; printf "${name} %s\\n" "\${number%%[!0-9.]*}"`,
    ]),
  ),
  series: [
    connections(reported('connections')),
    diskUsage(reported('size_kb', { times: MB_PER_KB })),
    operations(perSecond('requests')),
    {
      name: 'document_reads',
      unit: 'PER_SECOND',
      description: 'Documents that were read.',
      combined: 'SUM',
      value: perSecond('reads'),
    },
    {
      name: 'document_writes',
      unit: 'PER_SECOND',
      description: 'Documents that were written.',
      combined: 'SUM',
      value: perSecond('writes'),
    },
    {
      name: 'open_databases',
      unit: 'COUNT',
      description: 'Databases that are open.',
      combined: 'SUM',
      value: reported('databases'),
    },
  ],
})

/** The section of each setting in CouchDB's configuration. */
const SECTIONS: Readonly<Record<string, string>> = {
  max_document_size: 'couchdb',
  max_dbs_open: 'couchdb',
  os_process_timeout: 'couchdb',
  max_http_request_size: 'chttpd',
  require_valid_user: 'chttpd',
  timeout: 'chttpd_auth',
  level: 'log',
}

/** The image has no HTTP client. Asks as the user, with a password, and sets `answer`, with its headers. */
const REQUEST = [
  'request() {',
  '  local method=$1 path=$2 password=$3 body=$4 login',
  '  login=$(printf %s "$COUCHDB_USER:$password" | base64 -w0)',
  '  exec 3<>/dev/tcp/127.0.0.1/5984',
  '  printf "%s %s HTTP/1.0\\r\\nAuthorization: Basic %s\\r\\n" "$method" "$path" "$login" >&3',
  '  printf "Content-Type: application/json\\r\\nContent-Length: %s\\r\\n\\r\\n" "$(printf %s "$body" | wc --bytes)" >&3',
  '  printf %s "$body" >&3',
  '  answer=$(timeout 10 cat <&3)',
  '}',
].join('\n')

const get = (path: string) => [REQUEST, `request GET ${path} "$COUCHDB_PASSWORD" ""`] as const

export const couchdb: Engine = {
  name: 'COUCHDB',
  title: 'CouchDB',
  versions: [
    { version: '3_5', label: 'CouchDB 3.5', image: 'couchdb:3.5' },
    { version: '3_4', label: 'CouchDB 3.4', image: 'couchdb:3.4' },
  ],
  defaultVersion: '3_5',
  protocol: 'http',
  port: 5984,
  otherPorts: [],
  dataPath: '/opt/couchdb/data',
  user: 'berth',
  database: null,
  // One node only, by contract and not only for now (§8 rule 1).
  limits: { diskMb: { min: 512, default: 5120, max: 1_048_576 }, containers: { min: 1, default: 1, max: 1 } },
  settings: [
    {
      name: 'max_document_size',
      type: 'INTEGER',
      default: 8_000_000,
      min: 1024,
      max: 4_294_967_296,
      description: 'Maximum size of a document in bytes, without attachments.',
    },
    {
      name: 'max_http_request_size',
      type: 'INTEGER',
      default: 4_294_967_296,
      min: 1024,
      max: 4_294_967_296,
      description: 'Maximum size of the body of a request in bytes.',
    },
    {
      name: 'max_dbs_open',
      type: 'INTEGER',
      default: 500,
      min: 10,
      max: 10_000,
      description: 'Maximum number of databases that are open at once.',
    },
    {
      name: 'os_process_timeout',
      type: 'INTEGER',
      default: 5000,
      min: 100,
      max: 600_000,
      description: 'Time in milliseconds that a design document’s function may take.',
    },
    {
      name: 'require_valid_user',
      type: 'BOOLEAN',
      default: true,
      description: 'Whether every request must sign in. Without, databases that are made public can be read by anyone.',
    },
    {
      name: 'timeout',
      type: 'INTEGER',
      default: 600,
      min: 10,
      max: 86_400,
      description: 'Time in seconds after which a session by cookie expires.',
    },
    {
      name: 'level',
      type: 'ENUM',
      default: 'info',
      options: ['debug', 'info', 'notice', 'warning', 'error'],
      description: 'Minimum log level.',
    },
  ],
  container: ({ credentials, settings }) => ({
    arguments: ['/opt/couchdb/bin/couchdb'],
    environment: { COUCHDB_USER: credentials.user, COUCHDB_PASSWORD: credentials.password },
    files: [
      {
        // Read before docker.ini, which the entry point writes the administrator to.
        path: '/opt/couchdb/etc/local.d/berth.ini',
        content: [
          // The node then makes the system databases by itself.
          '[couchdb]',
          'single_node = true',
          ...Object.entries(settings).flatMap(([name, value]) => [`[${SECTIONS[name]}]`, `${name} = ${value}`]),
          '',
        ].join('\n'),
      },
    ],
  }),
  url: (credentials, address) => `http://${authority(credentials, address)}`,
  health: script(...get('/_up'), '[[ "$answer" == *\'"status":"ok"\'* ]]'),
  stopSeconds: 30,
  hardening: {
    user: '5984:5984',
    capabilities: [],
    // The entry point and the server itself write to /opt/couchdb/etc.
    readOnlyRoot: false,
    tmpfs: ['/tmp'],
    sharedMemoryMb: null,
    openFiles: null,
  },
  metrics: couchdbMetrics(REQUEST),
  logs: {
    entry: /^\[\w+\] \d{4}-/,
    level: /^\[(\w+)\] \d{4}-/,
    slow: null,
    copy: null,
  },
  backup: {
    covers: 'All databases with documents, attachments, indexes and the users that they have.',
    save: {
      while: 'RUNNING',
      // Files only grow, so that a copy of each is valid at any moment; indexes come first, because one that is older
      // than its database is brought up to date, and the other way round is not. tar ends with 1 if a file has grown.
      command: script(
        'cd /opt/couchdb/data',
        'ls -A | LC_ALL=C sort | tar --create --warning=no-file-changed --files-from=- || [ $? -eq 1 ]',
      ),
    },
    restore: { while: 'STOPPED', command: script('exec tar --extract --directory=/opt/couchdb/data') },
    afterRestore: null,
    verify: script(...get('/_dbs_info'), '[[ "$answer" == HTTP/1.?" 200 "* ]] && [[ "$answer" != *\'"error":\'* ]]'),
  },
  // Which the server itself writes, as a hash, to the file that the entry point wrote.
  pointInTime: null,
  replication: null,
  rotate: script(
    REQUEST,
    'for password in "$NEW_PASSWORD" "$OLD_PASSWORD"; do',
    '  request PUT "/_node/_local/_config/admins/$COUCHDB_USER" "$password" "\\"$NEW_PASSWORD\\""',
    '  [[ "$answer" != HTTP/1.?" 200 "* ]] || exit 0',
    'done',
    'printf "%s\\n" "$answer" | head --lines=1 >&2',
    'exit 1',
  ),
  inPlaceUpgrades: [{ from: '3_4', to: '3_5' }],
}
