import { shellWord } from './shell-word.ts'

/** How a tool or a language connects. */
export interface Snippet {
  tool: string
  code: string
}

/** A connection URL in its parts; those that are not in it are empty. */
export interface UrlParts {
  scheme: string
  host: string
  port: string
  user: string
  password: string
  database: string
}

/** Null for what is no URL with a host. Credentials are decoded: tools want them as they are. */
export function partsOf(url: string): UrlParts | null {
  const parsed = URL.parse(url)
  if (!parsed?.hostname) return null
  const { protocol, hostname, port, username, password, pathname } = parsed
  return {
    scheme: protocol.slice(0, -1),
    host: hostname,
    port,
    user: decoded(username),
    password: decoded(password),
    database: decoded(pathname.slice(1)),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What programs read: the URL by its variable, so that no secret stands in the code. By the scheme of the URL. */
export const programsOf = (scheme: string, variable: string): readonly Snippet[] =>
  PROGRAMS[scheme]?.(variable) ?? [
    { tool: 'Node', code: `const url = new URL(process.env.${variable})` },
    { tool: 'Python', code: `url = urllib.parse.urlsplit(os.environ["${variable}"])` },
    { tool: 'Go', code: `url, err := url.Parse(os.Getenv("${variable}"))` },
  ]

const postgresql = (variable: string): Snippet[] => [
  {
    tool: 'Node',
    code: `import { Pool } from 'pg'\nconst pool = new Pool({ connectionString: process.env.${variable} })`,
  },
  { tool: 'Python', code: `import os, psycopg\nconnection = psycopg.connect(os.environ["${variable}"])` },
  { tool: 'Go', code: `pool, err := pgxpool.New(ctx, os.Getenv("${variable}"))` },
  { tool: 'Ruby', code: `connection = PG.connect(ENV.fetch("${variable}"))` },
]

const redis = (variable: string): Snippet[] => [
  {
    tool: 'Node',
    code: `import { createClient } from 'redis'\nconst client = createClient({ url: process.env.${variable} })`,
  },
  { tool: 'Python', code: `import os, redis\nclient = redis.from_url(os.environ["${variable}"])` },
  { tool: 'Go', code: `options, err := redis.ParseURL(os.Getenv("${variable}"))` },
  { tool: 'Ruby', code: `client = Redis.new(url: ENV.fetch("${variable}"))` },
]

const PROGRAMS: Readonly<Record<string, (variable: string) => Snippet[]>> = {
  postgresql,
  postgres: postgresql,
  mysql: (variable) => [
    {
      tool: 'Node',
      code: `import mysql from 'mysql2/promise'\nconst pool = mysql.createPool(process.env.${variable})`,
    },
    {
      tool: 'Python',
      code: `engine = sqlalchemy.create_engine(\n    os.environ["${variable}"].replace("mysql://", "mysql+pymysql://", 1))`,
    },
    { tool: 'Ruby', code: `DB = Sequel.connect(ENV.fetch("${variable}").sub("mysql:", "mysql2:"))` },
  ],
  redis,
  rediss: redis,
  amqp: (variable) => [
    {
      tool: 'Node',
      code: `import amqp from 'amqplib'\nconst connection = await amqp.connect(process.env.${variable})`,
    },
    { tool: 'Python', code: `connection = pika.BlockingConnection(pika.URLParameters(os.environ["${variable}"]))` },
    { tool: 'Go', code: `connection, err := amqp.Dial(os.Getenv("${variable}"))` },
  ],
  mongodb: (variable) => [
    {
      tool: 'Node',
      code: `import { MongoClient } from 'mongodb'\nconst client = new MongoClient(process.env.${variable})`,
    },
    { tool: 'Python', code: `import os, pymongo\nclient = pymongo.MongoClient(os.environ["${variable}"])` },
    { tool: 'Go', code: `client, err := mongo.Connect(options.Client().ApplyURI(os.Getenv("${variable}")))` },
  ],
  clickhouse: (variable) => [
    {
      tool: 'Python',
      code: `from clickhouse_driver import Client\nclient = Client.from_url(os.environ["${variable}"])`,
    },
    { tool: 'Go', code: `options, err := clickhouse.ParseDSN(os.Getenv("${variable}"))` },
  ],
}

/** What is typed or pasted to connect by hand, with the secret in it. By the scheme of the URL. */
export function commandsOf(url: string): readonly Snippet[] {
  const parts = partsOf(url)
  return parts ? (COMMANDS[parts.scheme]?.(parts, url) ?? []) : []
}

const word = shellWord
const encoded = encodeURIComponent
const jdbc = ({ host, port, user, password, database }: UrlParts, name: string) =>
  `jdbc:${name}://${host}:${port}/${encoded(database)}?user=${encoded(user)}&password=${encoded(password)}`

const COMMANDS: Readonly<Record<string, (parts: UrlParts, url: string) => Snippet[]>> = {
  postgresql: (parts, url) => [
    { tool: 'psql', code: `psql ${word(url)}` },
    { tool: 'pg_dump', code: `pg_dump --format=custom --file=dump.pgdump ${word(url)}` },
    { tool: 'JDBC', code: jdbc(parts, 'postgresql') },
    {
      tool: '.NET',
      code: `Host=${parts.host};Port=${parts.port};Database=${parts.database};Username=${parts.user};Password=${parts.password}`,
    },
  ],
  mysql: (parts) => {
    const { host, port, user, password, database } = parts
    const options = [`--host=${word(host)}`, `--port=${port}`, `--user=${word(user)}`, `--password=${word(password)}`]
    return [
      { tool: 'mysql', code: ['mysql', ...options, word(database)].join(' ') },
      { tool: 'mysqldump', code: ['mysqldump --single-transaction', ...options, word(database)].join(' ') },
      { tool: 'JDBC', code: jdbc(parts, 'mysql') },
      { tool: 'Go', code: `${user}:${password}@tcp(${host}:${port})/${database}?parseTime=true` },
    ]
  },
  redis: (_, url) => [{ tool: 'redis-cli', code: `redis-cli -u ${word(url)}` }],
  rediss: (_, url) => [{ tool: 'redis-cli', code: `redis-cli -u ${word(url)}` }],
  mongodb: (_, url) => [
    { tool: 'mongosh', code: `mongosh ${word(url)}` },
    { tool: 'mongodump', code: `mongodump --archive=dump.archive --uri=${word(url)}` },
  ],
  clickhouse: ({ host, port, user, password, database }) => [
    {
      tool: 'clickhouse-client',
      code: [
        `clickhouse-client --host=${word(host)} --port=${port}`,
        `--user=${word(user)} --password=${word(password)} --database=${word(database)}`,
      ].join(' '),
    },
  ],
  http: (_, url) => [{ tool: 'curl', code: `curl ${word(url)}` }],
  https: (_, url) => [{ tool: 'curl', code: `curl ${word(url)}` }],
}
