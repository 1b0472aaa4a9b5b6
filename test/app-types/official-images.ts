/**
 * What the Dockerfiles, entry points and descriptions of the official images say, written down by hand: no image of them
 * can be had where the tests run. A fact that a description relies on belongs here.
 */
export interface OfficialImage {
  /** Where the facts are from. */
  source: string
  /** Numeric user and group of the server. */
  user: string
  exposed: readonly number[]
  /** Where the server keeps its data: the image's volume. By version, where it has changed. */
  data: string | Readonly<Record<string, string>>
  /** Program that the entry point prepares the data for; options alone are passed to it. */
  server: string
  /** Environment that the entry point, the server or its client read. */
  variables: readonly string[]
  /** Folders and files from which the server reads configuration. */
  configuration: readonly string[]
  /** Folders that the entry point or the server write to beside the data; null where it is not known for sure. */
  written: readonly string[] | null
  /** Programs of the image that are not of every Linux. What is missing here must not be called. */
  programs: readonly string[]
  /** Form of its connection strings. */
  url: RegExp
  /** Address on which the server listens while the entry point initialises the data; null: no server runs then. */
  initialisesOn: '127.0.0.1' | 'socket' | null
}

/** Programs that an image may lack, and a description could be tempted to call. */
export const CANDIDATES = [
  'psql',
  'pg_dump',
  'pg_restore',
  'pg_isready',
  'pg_basebackup',
  'pg_receivewal',
  'mysql',
  'mysqldump',
  'mysqladmin',
  'mariadb',
  'mongosh',
  'mongodump',
  'mongorestore',
  'mongo',
  'redis-cli',
  'redis-server',
  'rabbitmqctl',
  'rabbitmq-diagnostics',
  'rabbitmqadmin',
  'clickhouse-client',
  'clickhouse-backup',
  'couchbackup',
  'curl',
  'wget',
  'nc',
  'jq',
  'python3',
  'perl',
  'openssl',
  'node',
  'zstd',
  'xz',
  'ps',
  'gosu',
] as const

const USER_INFO = '[^:@/]+:[^:@/]+@[^:@/]+:\\d+'

export const OFFICIAL: Readonly<Record<string, OfficialImage>> = {
  POSTGRESQL: {
    source: 'docker-library/postgres: Dockerfile, docker-entrypoint.sh; docker-library/docs: postgres',
    user: '999:999',
    exposed: [5432],
    // “In 18+, PGDATA has changed …, and the VOLUME has moved from /var/lib/postgresql/data to /var/lib/postgresql.”
    data: { 18: '/var/lib/postgresql', 17: '/var/lib/postgresql/data', 16: '/var/lib/postgresql/data' },
    server: 'postgres',
    variables: ['POSTGRES_USER', 'POSTGRES_PASSWORD', 'POSTGRES_DB', 'POSTGRES_INITDB_ARGS', 'PGDATA'],
    // “-v "$PWD/my-postgres.conf":/etc/postgresql/postgresql.conf”, named to the server by an option.
    configuration: ['/etc/postgresql'],
    written: ['/var/run/postgresql', '/tmp'],
    programs: [
      'psql',
      'pg_dump',
      'pg_restore',
      'pg_isready',
      'pg_basebackup',
      'pg_receivewal',
      'zstd',
      'xz',
      'gosu',
      'perl',
    ],
    url: new RegExp(`^postgresql://${USER_INFO}/\\w+$`),
    initialisesOn: 'socket',
  },
  MYSQL: {
    source: 'docker-library/mysql: Dockerfile.oracle, docker-entrypoint.sh; docker-library/docs: mysql',
    user: '999:999',
    exposed: [3306, 33_060],
    data: '/var/lib/mysql',
    server: 'mysqld',
    variables: ['MYSQL_USER', 'MYSQL_PASSWORD', 'MYSQL_DATABASE', 'MYSQL_ROOT_PASSWORD', 'MYSQL_ROOT_HOST'],
    configuration: ['/etc/mysql/conf.d'],
    // The socket is in /var/run/mysqld, for the server and for its clients.
    written: ['/var/run/mysqld', '/tmp'],
    programs: ['mysql', 'mysqldump', 'mysqladmin', 'openssl', 'xz', 'zstd', 'gosu'],
    url: new RegExp(`^mysql://${USER_INFO}/\\w+$`),
    // With --skip-networking.
    initialisesOn: 'socket',
  },
  MONGODB: {
    source: 'docker-library/mongo: Dockerfile, docker-entrypoint.sh; docker-library/docs: mongo',
    user: '999:999',
    exposed: [27_017],
    data: '/data/db',
    server: 'mongod',
    variables: ['MONGO_INITDB_ROOT_USERNAME', 'MONGO_INITDB_ROOT_PASSWORD', 'MONGO_INITDB_DATABASE'],
    configuration: ['/etc/mongo'],
    written: ['/data/configdb', '/tmp'],
    // mongodump and mongorestore are of the package mongodb-org-tools. HOME is the data path, for mongosh.
    programs: ['mongosh', 'mongodump', 'mongorestore', 'jq', 'ps', 'gosu'],
    // The root user is made in the database admin, and signs in there.
    url: new RegExp(`^mongodb://${USER_INFO}/\\w+\\?authSource=admin$`),
    initialisesOn: '127.0.0.1',
  },
  REDIS: {
    source: 'redis/docker-library-redis: Dockerfile, docker-entrypoint.sh; docker-library/docs: redis',
    user: '999:999',
    exposed: [6379],
    data: '/data',
    server: 'redis-server',
    variables: ['REDISCLI_AUTH'],
    // “redis-server /usr/local/etc/redis/redis.conf”, for a configuration of one's own.
    configuration: ['/usr/local/etc/redis'],
    written: [],
    programs: ['redis-cli', 'redis-server', 'gosu'],
    url: new RegExp(`^redis://${USER_INFO}/\\d+$`),
    initialisesOn: null,
  },
  COUCHDB: {
    source: 'apache/couchdb-docker: Dockerfile, docker-entrypoint.sh; docker-library/docs: couchdb',
    user: '5984:5984',
    exposed: [5984, 4369, 9100],
    data: '/opt/couchdb/data',
    server: '/opt/couchdb/bin/couchdb',
    variables: ['COUCHDB_USER', 'COUCHDB_PASSWORD', 'COUCHDB_SECRET', 'NODENAME', 'COUCHDB_ERLANG_COOKIE'],
    configuration: ['/opt/couchdb/etc/local.d'],
    written: null,
    // The Dockerfile installs curl, and removes it again.
    programs: ['perl'],
    url: new RegExp(`^http://${USER_INFO}$`),
    initialisesOn: null,
  },
  RABBITMQ: {
    source: 'docker-library/rabbitmq: Dockerfile, docker-entrypoint.sh; docker-library/docs: rabbitmq',
    user: '999:999',
    exposed: [4369, 5671, 5672, 15_691, 15_692, 25_672],
    data: '/var/lib/rabbitmq',
    server: 'rabbitmq-server',
    variables: [
      'RABBITMQ_DEFAULT_USER',
      'RABBITMQ_DEFAULT_PASS',
      'RABBITMQ_DEFAULT_VHOST',
      'RABBITMQ_NODENAME',
      'RABBITMQ_ERLANG_COOKIE',
      'RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS',
    ],
    configuration: ['/etc/rabbitmq/conf.d'],
    written: null,
    programs: ['rabbitmqctl', 'rabbitmq-diagnostics', 'openssl', 'gosu'],
    url: new RegExp(`^amqp://${USER_INFO}/\\w+$`),
    initialisesOn: null,
  },
  CLICKHOUSE: {
    source: 'ClickHouse/ClickHouse: docker/server/Dockerfile.ubuntu, entrypoint.sh; docker-library/docs: clickhouse',
    user: '101:101',
    exposed: [9000, 8123, 9009],
    data: '/var/lib/clickhouse',
    server: 'clickhouse-server',
    variables: ['CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_DB', 'CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT'],
    configuration: ['/etc/clickhouse-server/config.d', '/etc/clickhouse-server/users.d'],
    written: null,
    // The entry point itself waits for the server with wget.
    programs: ['clickhouse-client', 'wget'],
    url: new RegExp(`^clickhouse://${USER_INFO}/\\w+$`),
    initialisesOn: '127.0.0.1',
  },
}
