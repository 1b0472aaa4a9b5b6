import { isIP } from 'node:net'
import { z } from 'zod'
import { readFields } from '../domain/field-problems.ts'
import { isImageReference } from '../domain/image-reference.ts'

/** One sentence for every way to break it, so that it always names the whole range. */
function whole(fallback: number, min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(rule).int(rule).min(min, rule).max(max, rule).default(fallback)
}
const port = (fallback: number) => whole(fallback, 0, 65_535)
const seconds = (fallback: number, max = 86_400) => whole(fallback, 1, max)
const count = (fallback: number, max: number) => whole(fallback, 1, max)
const switchable = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true')
const oneOrMore = <const T extends [string, ...string[]]>(values: T) =>
  z
    .string()
    .default(values.join(','))
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(values, `must be one or more of ${values.join(', ')}, separated by commas`)))
const networks = () =>
  z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .refine(
      (parts) => parts.every(isNetwork),
      'must be addresses or CIDR ranges, separated by commas, such as 127.0.0.1,10.0.0.0/8',
    )

const dnsServers = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
    .refine(
      (parts) => parts.every((part) => isIP(part) !== 0 || /^(\d+(\.\d+){3}|\[[0-9a-f:]+\]):\d{1,5}$/i.test(part)),
      'must be addresses with or without a port, separated by commas, such as 127.0.0.1:5353,9.9.9.9',
    )

function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/', 2)
  const family = isIP(address)
  return (
    family !== 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32)))
  )
}

/** Every setting Berth reads, with its default and what it is for. The README's table is this, printed. */
export const SETTINGS = z.object({
  PORT: port(4000).describe('Port of the API (GraphQL, REST, GraphiQL, docs). 0 picks a free one.'),
  INGRESS_PORT: port(8080).describe('Port on which deployed apps answer. 0 picks a free one.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address that the API and the ingress listen on.'),
  BERTH_DATA_DIR: z.string().min(1).default('.berth').describe('Folder of the embedded database, keys and tokens.'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be the address of a PostgreSQL, such as postgres://user:password@host:5432/name',
    })
    .optional()
    .describe('PostgreSQL to use instead of the embedded one.'),
  DATABASE_POOL_SIZE: count(20, 500).describe('Connections that one process keeps to PostgreSQL.'),
  BERTH_HEALTH_PORT: port(0).describe(
    'Port of an internal listener with /livez and /readyz, which the role api has on PORT too, and /tls/ask of the role ingress. 0: none.',
  ),
  DOCKER_HOST: z
    .string()
    .regex(/^(unix|tcp|http|https):\/\//, 'must start with unix://, tcp://, http:// or https://')
    .optional()
    .describe('Container engine. Default: the local socket.'),
  BERTH_REACH: z
    .enum(['address', 'published'])
    .default(process.platform === 'linux' ? 'address' : 'published')
    .describe(
      'How containers are reached: by their address on the engine’s network (an engine on this Linux machine), or by a published loopback port (an engine in a virtual machine).',
    ),
  BERTH_ROLES: oneOrMore(['api', 'worker', 'ingress']).describe('Roles that this process plays, separated by commas.'),
  BERTH_ADMIN_TOKEN: z
    .string()
    .min(20)
    .optional()
    .describe('Token of the first administrator. Default: made at the first start, kept in admin-token (mode 0600).'),
  BERTH_MASTER_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits (32 bytes)')
    .optional()
    .describe('Key under which secrets are sealed. Default: made at the first start, kept in master-key (mode 0600).'),
  BERTH_DOMAIN: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a lower-case domain name, such as apps.example.com')
    .default('berth.localhost')
    .describe('Environments answer at <account>-<app>-<env>.<this domain>.'),
  BERTH_INGRESS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://apps.example.com' })
    .optional()
    .describe('Address of the ingress as users see it, when something stands in front of it.'),
  BERTH_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Least level of a log line that is printed.'),

  BERTH_WORKER_CONCURRENCY: count(8, 100).describe('Environments that one worker works on at a time.'),
  BERTH_LEASE_SECONDS: seconds(15, 300).describe('A worker that is silent this long loses its environment to another.'),
  BERTH_RECONCILE_SECONDS: seconds(5, 3600).describe('Pause between two looks at a running environment.'),
  BERTH_DRAIN_SECONDS: whole(10, 0, 3600).describe('Time that a replaced container keeps to finish its requests.'),
  BERTH_STOP_GRACE_SECONDS: seconds(10, 600).describe('Time between SIGTERM and SIGKILL.'),
  BERTH_ROUTE_PROPAGATION_MS: whole(1500, 0, 60_000).describe(
    'Pause between the removal of a route and SIGTERM to its containers, in milliseconds. Every ingress must learn of the change in this time.',
  ),
  BERTH_OPERATION_TIMEOUT_SECONDS: seconds(900).describe('Deadline of an operation, from its first attempt.'),
  BERTH_OPERATION_ATTEMPTS: count(5, 50).describe('Attempts before an operation becomes a dead letter.'),
  BERTH_ENGINE_WAIT_SECONDS: seconds(3600).describe(
    'How long operations wait for an engine that does not answer, or for a place to build.',
  ),
  BERTH_PULL_TIMEOUT_SECONDS: seconds(600).describe('Deadline of one image pull.'),
  BERTH_ENGINE_TIMEOUT_SECONDS: seconds(30, 600).describe('Deadline of any other call to the engine.'),
  BERTH_READY_TIMEOUT_SECONDS: seconds(120, 3600).describe('Time in which a new version must become ready.'),
  BERTH_ENGINE_EVENTS: switchable(true).describe(
    'Listen to engine events as hints. Correctness never depends on them.',
  ),

  BERTH_LOG_LINES_PER_MINUTE: count(300_000, 100_000_000).describe(
    'Lines that one container may log in a minute; the rest is dropped and counted. A line counts again for each KiB.',
  ),
  BERTH_METRICS_SECONDS: seconds(15, 300).describe('Pause between two measurements of what containers use.'),
  BERTH_BUILDER: z
    .enum(['auto', 'classic', 'buildkit'])
    .default('auto')
    .describe('Which of the engine’s builders is used. auto: the one that the engine prefers.'),
  BERTH_NIXPACKS: z
    .string()
    .startsWith('/', 'must be a path from the root, such as /usr/local/bin/nixpacks')
    .optional()
    .describe('Path of the program nixpacks, which workers run for the builder NIXPACKS. Without it, that is refused.'),
  BERTH_BUILD_CONCURRENCY: count(2, 50).describe('Builds that each worker runs at a time; others wait for a place.'),
  BERTH_BUILD_TIMEOUT_SECONDS: seconds(1200).describe('Deadline of one build, from when it got its place.'),
  BERTH_BUILD_Z_CLOUDS: z.coerce
    .number()
    .min(0.5)
    .max(64)
    .default(4)
    .describe('What one build may use: a core and 512 MB each, as for environments.'),
  BERTH_BUILD_DISK_MB: count(10_240, 1_000_000).describe(
    'What one build may write while it runs, with the engine’s classic builder.',
  ),
  BERTH_BUILD_LOG_LINES: whole(10_000, 100, 1_000_000).describe('Lines of one build’s log that are kept.'),
  BERTH_BUILD_CACHE_HOURS: seconds(168, 8760).describe('How long layers of former builds are kept for the next one.'),
  BERTH_IMAGES_KEPT: count(20, 1000).describe('Deployed versions of an environment whose built images are kept.'),
  BERTH_PUSH_REPOSITORY: z
    .string()
    .refine(
      (name) => isImageReference(`${name}/app:1`),
      'must be a registry with a path, such as registry.example.com/berth',
    )
    .optional()
    .describe('Where built images are pushed to, to be pulled again when an engine has lost them. Default: nowhere.'),
  BERTH_PUSH_USERNAME: z.string().optional().describe('Login for BERTH_PUSH_REPOSITORY.'),
  BERTH_PUSH_PASSWORD: z.string().optional().describe('Its password.'),
  BERTH_IMAGE_LIMIT_MB: count(4096, 1_000_000).describe('Largest image that a build may make.'),
  BERTH_SOURCE_LIMIT_MB: count(512, 100_000).describe('Largest source, unpacked; and largest uploaded archive.'),
  BERTH_SOURCE_LIMIT_FILES: count(50_000, 10_000_000).describe('Most files in a source.'),
  BERTH_SOURCE_TIMEOUT_SECONDS: seconds(300, 3600).describe('Deadline for fetching a source.'),
  BERTH_GIT_PRIVATE_HOSTS: switchable(false).describe('Allow repositories on private addresses and this machine.'),
  BERTH_GITHUB_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://github.com' })
    .default('https://github.com')
    .describe('Where repositories of GitHub are cloned from; an Enterprise server has its own.'),
  BERTH_GITHUB_API_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://api.github.com' })
    .default('https://api.github.com')
    .describe('GitHub’s API, which makes installation tokens.'),
  BERTH_GITHUB_APP_ID: z
    .string()
    .regex(/^\d+$/, 'must be the number of a GitHub App')
    .optional()
    .describe('GitHub App that private repositories are read as. Without it, only public ones are.'),
  BERTH_GITHUB_PRIVATE_KEY: z
    .string()
    .includes('PRIVATE KEY', { error: 'must be a private key in PEM format' })
    .transform((pem) => pem.replaceAll('\\n', '\n'))
    .optional()
    .describe('Private key of the GitHub App, in PEM format; line ends may be written \\n.'),
  BERTH_API_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://berth.example.com' })
    .optional()
    .describe('Address of the API as clients see it, for upload URLs. Default: where the request came to.'),
  BERTH_DNS_SERVERS: dnsServers().describe(
    'DNS servers that custom hosts are looked up at, separated by commas, such as 127.0.0.1:5353. Default: the machine’s.',
  ),
  BERTH_HOST_COOLDOWN_HOURS: whole(168, 0, 8760).describe(
    'Time after its removal in which a custom host can only be claimed by the account that had it.',
  ),

  BERTH_BODY_LIMIT_KB: count(1024, 102_400).describe('Largest body of an API request.'),
  BERTH_REQUEST_TIMEOUT_SECONDS: seconds(30, 600).describe('Deadline of an API request that does not ask to wait.'),
  BERTH_MAX_WAIT_SECONDS: seconds(300, 3600).describe('Longest wait that Prefer: wait and waitSeconds may ask for.'),
  BERTH_RATE_LIMIT: count(6000, 10_000_000).describe('API requests per token and minute.'),
  BERTH_OPERATION_RATE_LIMIT: count(120, 1_000_000).describe('Operations per environment and minute.'),
  BERTH_IDEMPOTENCY_HOURS: count(24, 720).describe('How long the answer to an Idempotency-Key is kept.'),
  BERTH_EVENT_RETENTION_HOURS: count(168, 8760).describe('How long events can be resumed from a cursor.'),
  BERTH_GRAPHQL_MAX_DEPTH: count(12, 100).describe('Deepest GraphQL selection.'),
  BERTH_GRAPHQL_MAX_ALIASES: count(30, 1000).describe('Aliases in one GraphQL document.'),
  BERTH_GRAPHQL_MAX_TOKENS: count(2000, 100_000).describe('Lexical tokens in one GraphQL document.'),
  BERTH_GRAPHQL_MAX_COST: count(20_000, 10_000_000).describe(
    'Cost of one GraphQL operation: fields, times the list sizes above them.',
  ),
  BERTH_GRAPHQL_INTROSPECTION: switchable(true).describe('Answer introspection queries.'),
  BERTH_SUBSCRIPTIONS_PER_SOCKET: count(100, 10_000).describe('Live subscriptions on one WebSocket.'),
  BERTH_SUBSCRIBER_BACKLOG_KB: whole(1024, 256, 102_400).describe(
    'A subscriber that is further behind than this is dropped, and goes on from its cursor.',
  ),
  BERTH_HEARTBEAT_SECONDS: seconds(12, 300).describe(
    'Pause between two heartbeats to a subscriber (WebSocket ping, SSE comment). A WebSocket that misses one is cut.',
  ),

  BERTH_INGRESS_BODY_LIMIT_MB: count(100, 100_000).describe('Largest body of a request to a deployed app.'),
  BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS: seconds(60, 3600).describe('Time a deployed app has to begin its answer.'),
  BERTH_INGRESS_IDLE_SECONDS: seconds(300, 86_400).describe('A proxied connection silent this long is closed.'),
  BERTH_INGRESS_MAX_CONNECTIONS: count(10_000, 1_000_000).describe(
    'Client connections that one ingress accepts at a time.',
  ),
  BERTH_LABORATORY: z
    .string()
    .min(1)
    .optional()
    .describe('Folder of the crash laboratory, whose orders end this process. Only for tests.'),
  BERTH_TRUSTED_PROXIES: networks().describe(
    'Addresses or CIDR ranges of proxies in front of the ingress whose X-Forwarded-* headers count, separated by commas.',
  ),
})

export type Config = Readonly<z.infer<typeof SETTINGS>>

/** What these hold belongs on no screen and in no log. */
const SECRET: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'BERTH_ADMIN_TOKEN',
  'BERTH_MASTER_KEY',
  'BERTH_GITHUB_PRIVATE_KEY',
  'BERTH_PUSH_PASSWORD',
])

/**
 * Reads the environment. Throws one Error that names every setting that is wrong, what it was and what it may be.
 * Empty values count as unset.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(
    Object.keys(SETTINGS.shape).flatMap((name) => (environment[name]?.trim() ? [[name, environment[name]]] : [])),
  )
  const { data, problems } = readFields(SETTINGS, given)
  if (!problems) {
    assertPortsDiffer(data)
    return Object.freeze(data)
  }
  // A list has a problem for each of its parts, and one sentence about the setting says them all.
  const rules = new Map(problems.map(({ field, message }) => [field.split('.')[0] ?? field, message]))
  const lines = [...rules].map(([name, rule]) => {
    const what = SECRET.has(name) ? 'what was given is a secret and not shown' : `not ${JSON.stringify(given[name])}`
    return `  ${name}: ${rule}; ${what}`
  })
  throw refusal(lines)
}

const refusal = (lines: string[]) => new Error(`Berth cannot start with this configuration:\n${lines.join('\n')}`)

/** Only roles that this process plays listen. Listening twice on one port would look like another program's. */
function assertPortsDiffer({ BERTH_ROLES: roles, ...config }: Config): void {
  const other = roles.includes('api') ? 'PORT' : 'BERTH_HEALTH_PORT'
  if (!roles.includes('ingress') || config[other] === 0 || config[other] !== config.INGRESS_PORT) return
  throw refusal([`  ${other} and INGRESS_PORT: must differ; both are ${config.INGRESS_PORT}`])
}
