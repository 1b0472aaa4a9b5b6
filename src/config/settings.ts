import { z } from 'zod'
import { MAX_STOP_GRACE_SECONDS } from '../domain/container-settings.ts'
import { isImageReference } from '../domain/image-reference.ts'
import {
  count,
  dnsServers,
  domain,
  domains,
  hostNames,
  hostOrAddress,
  networks,
  oneOrMore,
  port,
  portRanges,
  registries,
  seconds,
  switchable,
  tcpPorts,
  whole,
} from './setting-types.ts'

/** Where container engines are, and how their containers are reached. */
const ENGINE_SETTINGS = {
  DOCKER_HOST: z
    .string()
    .regex(/^(unix|tcp|http|https):\/\//, 'must start with unix://, tcp://, http:// or https://')
    .optional()
    .describe('Address of the container engine. Default: the local socket.'),
  BERTH_ENGINE_KEYS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder with a folder for each region that has a container engine of its own: ca.pem, cert.pem and key.pem for tcp://, ssh_key and known_hosts for ssh://. Default: engine-keys in the data directory.',
    ),
  BERTH_REACH: z
    .enum(['address', 'published'])
    .default(process.platform === 'linux' ? 'address' : 'published')
    .describe(
      'How Berth connects to containers. address: by IP, for an engine on this Linux machine. published: by a port published on loopback, for an engine in a virtual machine.',
    ),
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** Settings of what is measured: metrics, usage and its price. */
const USAGE_SETTINGS = {
  BERTH_METRICS_SECONDS: seconds(15, 300).describe(
    'Interval between measurements of the CPU and memory that containers use.',
  ),
  BERTH_SERVICE_METRICS_SECONDS: seconds(60, 300).describe(
    'Interval at which managed services are asked for their metrics, such as connections and size on disk.',
  ),
  BERTH_USAGE_SECONDS: seconds(60, 3600).describe(
    'Interval between two measurements of running containers, volumes and backups for usage. What disappeared without its end being recorded counts until the last measurement.',
  ),
  BERTH_USAGE_MONTHS: count(24, 240).describe(
    'Months for which the usage log is kept. Statements stay; older ones can no longer be worked out again.',
  ),
  BERTH_CURRENCY: z
    .string()
    .refine((code) => CURRENCIES.has(code), 'must be the code of a currency, such as EUR')
    .default('EUR')
    .describe('Currency of the prices of plans. Statements keep the one that they were closed with.'),
}

/** Settings of job runs. */
const JOB_SETTINGS = {
  BERTH_JOB_QUEUE: count(5000, 1_000_000).describe('Maximum number of job runs per environment that wait or run.'),
  BERTH_JOB_RUN_DAYS: count(90, 3650).describe('How long the record of a job run is kept once it has ended.'),
  BERTH_JOB_RUNS: count(200, 10_000).describe('Maximum number of job runs that one worker watches at a time.'),
  BERTH_JOB_NETWORKS: whole(8, 0, 1000).describe(
    'Network connections that a worker keeps ready for job runs, so that their containers start sooner. Each is an idle container of a few MB, for ten minutes. 0: none.',
  ),
}

/** Settings of commands in running containers, and of tunnels to their ports. */
const REMOTE_SESSION_SETTINGS = {
  BERTH_REMOTE_SESSIONS: count(500, 100_000).describe(
    'Maximum number of remote sessions at a time: commands in running containers and connections of tunnels.',
  ),
  BERTH_REMOTE_SESSIONS_PER_ACCOUNT: count(100, 100_000).describe(
    'Maximum number of remote sessions of an account at a time.',
  ),
  BERTH_REMOTE_SESSIONS_PER_ENVIRONMENT: count(50, 100_000).describe(
    'Maximum number of remote sessions of an environment at a time.',
  ),
  BERTH_REMOTE_SESSION_TICKET_SECONDS: seconds(30, 300).describe(
    'How long a ticket for a remote session may be used. It works once.',
  ),
  BERTH_REMOTE_SESSION_IDLE_SECONDS: seconds(1800).describe(
    'A remote session in which no byte passes for so long is ended.',
  ),
  BERTH_REMOTE_SESSION_SECONDS: seconds(43_200, 604_800).describe('Maximum duration of a remote session.'),
  BERTH_RELAY_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as http://10.0.0.5:4000' })
    .optional()
    .describe(
      'URL at which workers reach this API process, to bring remote sessions. Default: HOST and PORT, or, where HOST is every address, the first one of the machine.',
    ),
}

/** How clients from outside reach managed services by plain TCP. */
const TCP_SETTINGS = {
  BERTH_TCP_PORTS: portRanges('20000-20999').describe(
    'TCP ports of the ingress for external access to managed services: ports and ranges, comma-separated. A port is listened on only while an environment has it. The same for every process. off: no external access.',
  ),
  BERTH_TCP_HOST: z
    .string()
    .min(1)
    .optional()
    .describe('Address that the ingress binds the ports of BERTH_TCP_PORTS to. Default: HOST.'),
  BERTH_TCP_ADDRESS: hostOrAddress()
    .optional()
    .describe(
      'Host name or address in the external URLs of managed services. Default: the name of the environment below its domain, as apps have it; localhost below .localhost, because database clients resolve nothing else there.',
    ),
  BERTH_TCP_DEFAULT_CONNECTIONS: count(100, 100_000).describe(
    'External TCP connections per environment and ingress, unless the environment sets its own number.',
  ),
  BERTH_TCP_CONNECTIONS_PER_ENV: count(1000, 100_000).describe(
    'Maximum number of external TCP connections that an environment may set, per ingress.',
  ),
  BERTH_TCP_CONNECTIONS_PER_CLIENT: count(200, 100_000).describe(
    'Maximum number of external TCP connections of a client address per ingress. IPv6 addresses count by /64 network.',
  ),
  BERTH_TCP_MAX_CONNECTIONS: count(2500, 1_000_000).describe(
    'Maximum number of external TCP connections per ingress. They have their own share of its open files.',
  ),
  BERTH_TCP_CONNECT_SECONDS: seconds(5, 60).describe(
    'How long the ingress waits for a container to accept an external TCP connection.',
  ),
  BERTH_TCP_IDLE_SECONDS: whole(0, 0, 604_800).describe(
    'Idle timeout of an external TCP connection. 0: none; the ends of dead connections are found by TCP keep-alive.',
  ),
  BERTH_ACCOUNT_TCP_PORTS: count(100, 10_000).describe(
    'Maximum number of environments with external access per account.',
  ),
}

/** Settings of apps that sleep while they get no requests. */
const SCALING_SETTINGS = {
  BERTH_WAKE_QUEUE_REQUESTS: count(1000, 1_000_000).describe(
    'Maximum number of requests per app and ingress that wait for a container of an app that scales to zero; more are answered with 503.',
  ),
  BERTH_WAKE_QUEUE_MB: count(16, 10_000).describe(
    'Memory in MB per app and ingress for requests that wait for a container of an app that scales to zero. Bodies are read when there is one; of each, at most 64 KB count.',
  ),
  BERTH_WAKE_QUEUE_SECONDS: seconds(60, 3600).describe(
    'How long a request waits for a container of an app that scales to zero, before it is answered with 503.',
  ),
  BERTH_FROZEN_MB: whole(1024, 0, 10_000_000).describe(
    'Memory in MB that frozen containers of sleeping apps may hold, as last measured, else by their limits; beyond it, those that were used least recently are stopped. 0: none is frozen.',
  ),
  BERTH_FROZEN_SECONDS: seconds(3600, 2_592_000).describe(
    'How long the container of a sleeping app stays frozen, in memory, before it is stopped.',
  ),
  BERTH_FUNCTION_NETWORKS: whole(32, 0, 1000).describe(
    'Network connections that are held on each engine for containers which sleep, so that they wake sooner. Each is an idle container of a few MB; apps beyond the number wake more slowly. 0: none.',
  ),
  BERTH_STOPPED_SECONDS: seconds(86_400, 31_536_000).describe(
    'How long the stopped container of a sleeping app is kept before it is removed.',
  ),
}

const MIN_SECRET = 16

/** Settings of deliveries from git hosts. */
const GIT_HOOK_SETTINGS = {
  BERTH_ACCOUNT_GIT_HOOKS: count(50, 1000).describe('Git hooks per account.'),
  BERTH_GIT_HOOK_LIMIT_KB: whole(5120, 16, 25_600).describe(
    'Largest body of a delivery of a git host in KB. Larger ones are refused with 413, and their push is not deployed.',
  ),
  BERTH_GIT_HOOK_SECRET_HOURS: whole(24, 0, 720).describe(
    'How long the former secret of a git hook proves deliveries, too, after it was rotated.',
  ),
  BERTH_GIT_DELIVERIES: count(1000, 100_000).describe('Deliveries of git hosts that are kept per account.'),
  BERTH_GITHUB_WEBHOOK_SECRET: z
    .string()
    .min(MIN_SECRET, `must have at least ${MIN_SECRET} characters`)
    .optional()
    .describe('Webhook secret of the GitHub App. Without it, deliveries of the App itself are refused.'),
}

/** Settings of webhooks, notifications and deliveries from git hosts. */
const WEBHOOK_SETTINGS = {
  BERTH_ACCOUNT_WEBHOOKS: count(20, 1000).describe('Webhooks and notifications per account.'),
  BERTH_WEBHOOK_CONCURRENCY: count(8, 256).describe('Webhooks that one worker delivers to at the same time.'),
  BERTH_WEBHOOK_TIMEOUT_SECONDS: seconds(15, 120).describe(
    'Timeout of one attempt of a delivery, from resolving the host to the answer.',
  ),
  BERTH_WEBHOOK_ATTEMPTS: count(40, 1000).describe('Attempts of a delivery before it is given up.'),
  BERTH_WEBHOOK_RETRY_SECONDS: seconds(5, 3600).describe(
    'Pause after the first failed attempt of a delivery. It doubles with each further one.',
  ),
  BERTH_WEBHOOK_LONGEST_RETRY_SECONDS: seconds(10_800, 86_400).describe(
    'Longest pause between two attempts of a delivery.',
  ),
  BERTH_WEBHOOK_FAILING_DAYS: count(3, 30).describe(
    'Days of nothing but failures after which a webhook is switched off.',
  ),
  BERTH_WEBHOOK_DELIVERIES: count(1000, 100_000).describe('Ended deliveries that are kept per webhook.'),
  BERTH_WEBHOOK_ANSWER_BYTES: whole(1024, 0, 2048).describe(
    'How much of a receiver’s last answer a delivery shows, in bytes.',
  ),
  BERTH_WEBHOOK_SECRET_HOURS: whole(24, 0, 720).describe(
    'How long deliveries are signed with the former secret, too, after a webhook’s secret was rotated.',
  ),
  BERTH_WEBHOOK_PRIVATE_HOSTS: registries().describe(
    'Hosts that webhooks may reach although they are on private addresses or on this machine, and by plain HTTP: hosts with or without a port, addresses or CIDR ranges, comma-separated.',
  ),
  BERTH_SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      error: 'must be an smtp or smtps URL, such as smtps://user:password@mail.example.com',
    })
    .optional()
    .describe(
      'SMTP server that sends notifications, and links to set a password, by e-mail. Without it there are none.',
    ),
  BERTH_SMTP_FROM: z
    .string()
    .regex(/^[^\s@<>]+@[^\s@<>]+$/, 'must be an e-mail address, such as berth@example.com')
    .default('berth@localhost')
    .describe('Sender of notifications by e-mail.'),
  ...GIT_HOOK_SETTINGS,
}

/** Settings of OAuth, by which users let programs of others act for them, and of rotated tokens. */
const OAUTH_SETTINGS = {
  BERTH_OAUTH: switchable(true).describe(
    'Whether users can authorise applications of others by OAuth 2.1. Needs BERTH_API_URL where the API is reached by anything but loopback.',
  ),
  BERTH_OAUTH_REGISTRATION: z
    .enum(['open', 'admin', 'off'])
    .default('open')
    .describe(
      'Registration of OAuth clients. open: any client, as MCP clients and command-line tools expect; users decide what each may do. admin: only with a token of the installation’s admin. off: no registration.',
    ),
  BERTH_OAUTH_CLIENTS: count(1000, 1_000_000).describe(
    'Maximum number of registered OAuth clients. A further registration removes the oldest client that no user has authorised.',
  ),
  BERTH_OAUTH_CLIENT_DAYS: count(30, 3650).describe(
    'Days after which an OAuth client is deleted if no user has authorised it since.',
  ),
  BERTH_OAUTH_AUTHORIZATIONS: count(100, 10_000).describe('Applications that a user may authorise by OAuth.'),
  BERTH_OAUTH_ACCESS_TOKEN_SECONDS: seconds(3600).describe('How long an OAuth access token works.'),
  BERTH_OAUTH_REFRESH_DAYS: count(30, 365).describe(
    'Days after which an OAuth refresh token that was not used ends. Each use gives a new one.',
  ),
  BERTH_OAUTH_AUTHORIZATION_DAYS: count(365, 3650).describe(
    'Days after which a user has to authorise an application again, however often it was used.',
  ),
  BERTH_TOKEN_GRACE_SECONDS: whole(3600, 0, 604_800).describe(
    'How long the former secret of a rotated token works, unless the call says otherwise.',
  ),
}

/** Settings of people's sign-in. */
const SIGN_IN_SETTINGS = {
  BERTH_SESSION_HOURS: count(168, 8760).describe('How long a person stays signed in at most, however much they do.'),
  BERTH_SESSION_IDLE_MINUTES: whole(1440, 5, 525_600).describe(
    'How long a person who does nothing stays signed in, to the minute. An open live subscription counts as doing something.',
  ),
  BERTH_SESSIONS: count(20, 1000).describe(
    'Maximum number of sessions per user; a further sign-in ends the oldest of them.',
  ),
  BERTH_SIGN_IN_TRIES: count(10, 1000).describe(
    'Maximum number of attempts to sign in as one user by password or code within 15 minutes, from all clients together; three times as many per client address. All processes count together.',
  ),
  BERTH_PASSWORD_MEMORY_KB: whole(19_456, 7168, 4_194_304).describe(
    'Memory that hashing a password takes (Argon2id), in KB. A password is hashed anew at the next sign-in when this or the passes have changed.',
  ),
  BERTH_PASSWORD_PASSES: whole(2, 1, 100).describe('Passes over its memory that hashing a password takes (Argon2id).'),
  BERTH_PASSWORD_HASHES: whole(2, 1, 64).describe(
    'Maximum number of passwords that an API process hashes at a time; more wait, and beyond 16 times as many, sign-ins are refused for a moment.',
  ),
  BERTH_OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: 'must be the address of an issuer, such as https://login.example.com' })
    .optional()
    .describe('Issuer of the company’s own OpenID Connect provider, by whose accounts people can sign in.'),
  BERTH_OIDC_CLIENT_ID: z.string().min(1).default('berth').describe('Id of Berth as a client of that provider.'),
  BERTH_OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Secret of Berth as a client of that provider.'),
  BERTH_OIDC_NAME: z
    .string()
    .min(1)
    .max(60)
    .default('your company')
    .describe('Name of that provider, as the page for signing in shows it.'),
  BERTH_OIDC_PRIVATE_HOSTS: registries().describe(
    'Hosts of that provider that may be on private addresses or on this machine, and reached by plain HTTP: hosts with or without a port, addresses or CIDR ranges, comma-separated.',
  ),
}

/** No lease is given for longer, whatever a process is set to. */
export const MAX_LEASE_SECONDS = 300

/** Every setting, with its default and description. docs/configuration.md is printed from it. */
export const SETTINGS = z.object({
  PORT: port(4000).describe('API port: GraphQL, REST, GraphiQL and documentation. 0 picks a free port.'),
  INGRESS_PORT: port(8080).describe('Ingress port: deployed apps answer here. 0 picks a free port.'),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address that the API, the ingress and the internal listener bind to.'),
  BERTH_INGRESS_HOST: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Address that the ingress binds INGRESS_PORT to. Default: HOST. 0.0.0.0 lets other machines reach apps, while the API stays on HOST.',
    ),
  BERTH_DATA_DIR: z
    .string()
    .min(1)
    .default('.berth')
    .describe('Data directory: embedded database, keys, uploads, build directories, backups.'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be the address of a PostgreSQL, such as postgres://user:password@host:5432/name',
    })
    .optional()
    .describe('PostgreSQL to use instead of the embedded one. Connect directly or through a pool in session mode.'),
  DATABASE_PASSWORD: z.string().optional().describe('Password for DATABASE_URL, if it holds none.'),
  DATABASE_POOL_SIZE: count(20, 500).describe('PostgreSQL connections per process, besides up to four that only read.'),
  BERTH_HEALTH_PORT: port(0).describe(
    'Port of the internal listener: /livez, /readyz and, with the ingress role, /tls/ask. 0 turns it off.',
  ),
  ...ENGINE_SETTINGS,
  BERTH_HOST_FIREWALL: z
    .enum(['auto', 'off', 'required'])
    .default('auto')
    .describe(
      'Whether the worker installs firewall rules on the engine’s machine that keep containers away from its own services and from metadata addresses. auto: where it can (Linux, root, local engine, iptables). required: refuse to start otherwise.',
    ),
  BERTH_ENGINE_RESTARTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether the engine itself restarts containers that end, and all of them when it starts. off: only a running worker does, so that none runs before the firewall rules are there; it applies to containers that are created afterwards.',
    ),
  BERTH_CONTAINER_HOST_PORTS: tcpPorts().describe(
    'TCP ports of the engine’s machine that containers may reach, besides the ingress port, such as 80,443 of a proxy in front.',
  ),
  BERTH_ROLES: oneOrMore(['api', 'worker', 'ingress']).describe(
    'Roles of this process: api, worker, ingress. Comma-separated.',
  ),
  BERTH_ADMIN_TOKEN: z
    .string()
    .min(20)
    .optional()
    .describe(
      'Token of the first administrator. Default: generated at the first start and kept in the file admin-token (mode 0600).',
    ),
  BERTH_MASTER_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits (32 bytes)')
    .optional()
    .describe(
      'Master key that encrypts secrets: 64 hexadecimal digits. Default: generated at the first start and kept in the file master-key (mode 0600).',
    ),
  BERTH_DOMAIN: domain()
    .default('berth.localhost')
    .describe('Base domain of apps: an environment answers at <account>-<app>-<env>.<domain>.'),
  BERTH_EXTRA_DOMAINS: domains().describe(
    'Further base domains, comma-separated: an environment answers below each of them, too. 127.0.0.1.sslip.io gives names that every program resolves through public DNS.',
  ),
  BERTH_INGRESS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://apps.example.com' })
    .optional()
    .describe('Public URL of the ingress, if a proxy stands in front of it.'),
  BERTH_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Minimum log level.'),
  BERTH_LOG_FORMAT: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .describe('Format of log lines: json, or text for people. auto: text on a terminal, json elsewhere.'),

  BERTH_WORKER_CONCURRENCY: count(8, 100).describe(
    'Slots per worker: how many operations run at a time; as many reconciliations run beside them.',
  ),
  BERTH_LEASE_SECONDS: seconds(15, MAX_LEASE_SECONDS).describe(
    'Lease duration; when it expires, another worker takes over.',
  ),
  BERTH_RECONCILE_SECONDS: seconds(5, 3600).describe('Interval between reconciliations of a running environment.'),
  BERTH_DRAIN_SECONDS: whole(10, 0, 3600).describe(
    'Drain time: how long a replaced container keeps running to finish its requests.',
  ),
  BERTH_STOP_GRACE_SECONDS: seconds(10, MAX_STOP_GRACE_SECONDS).describe(
    'Time between SIGTERM and SIGKILL when a container is stopped.',
  ),
  BERTH_ROUTE_PROPAGATION_MS: whole(1500, 0, 60_000).describe(
    'Time between removing a route and stopping its containers, in milliseconds. Every ingress must see the change within it.',
  ),
  BERTH_OPERATION_TIMEOUT_SECONDS: seconds(900).describe(
    'Timeout of an operation, counted from its first attempt. A build adds its own timeouts.',
  ),
  BERTH_OPERATION_ATTEMPTS: count(5, 50).describe('Attempts of an operation before it becomes a dead letter.'),
  BERTH_ENGINE_WAIT_SECONDS: seconds(3600).describe(
    'How long an operation waits for an unreachable engine, or for a build slot.',
  ),
  BERTH_PULL_TIMEOUT_SECONDS: seconds(600).describe('Timeout of one image pull.'),
  BERTH_ENGINE_TIMEOUT_SECONDS: seconds(30, 600).describe('Timeout of any other engine call.'),
  BERTH_READY_TIMEOUT_SECONDS: seconds(120, 3600).describe(
    'How long a new version may take to become ready. A longer startup probe extends it.',
  ),
  BERTH_READY_AFTER_SECONDS: whole(3, 0, 3600).describe(
    'How long a container of an app whose health check is of type NONE must run before it is ready. Its initialDelaySeconds comes first.',
  ),
  BERTH_EARLY_EXIT_SECONDS: whole(60, 0, 3600).describe(
    'Time after a deployment within which the end of one of its containers is recorded on it, with the reason. 0 turns it off.',
  ),
  BERTH_ENGINE_EVENTS: switchable(true).describe(
    'Subscribe to engine events, to notice a dead container at once. Without them, the next reconciliation notices it.',
  ),

  BERTH_CONTAINER_DISK_MB: whole(10_240, 16, 10_000_000).describe(
    'What one container may write outside of volumes, in MB, volumes that its image declares included. A container above it is replaced.',
  ),
  BERTH_CONTAINER_FILES: count(200_000, 100_000_000).describe(
    'Maximum number of files and folders that one container makes outside of volumes. They are counted when many are made on the disk of an engine on this machine; a container above it is replaced.',
  ),
  BERTH_CONTAINER_DISK_SECONDS: seconds(60, 3600).describe(
    'Interval between measurements of what containers have written. It is longer on an engine that takes long to measure; after fast growth of the disk of an engine on this machine, they are measured within seconds.',
  ),
  BERTH_VOLUME_MEASURE_SECONDS: seconds(300, 86_400).describe(
    'Interval between measurements of the data in volumes. It is longer on an engine that takes long to measure.',
  ),
  BERTH_CONTAINER_PROCESSES: whole(1024, 16, 1_000_000).describe(
    'Processes and threads that one container may have at a time.',
  ),
  BERTH_LOG_LINES_PER_MINUTE: count(300_000, 100_000_000).describe(
    'Log lines per container and minute; more are dropped and counted. A long line counts once per KiB.',
  ),
  BERTH_LOG_MB_PER_MINUTE: count(64, 100_000).describe(
    'Log bytes per account and minute in MB, of all its containers together; lines beyond are dropped and counted.',
  ),
  BERTH_LOG_KEPT_MB: count(10_240, 100_000_000).describe(
    'Log bytes kept per account in MB; beyond it, the oldest lines of its largest log are deleted, whatever the plan keeps.',
  ),
  BERTH_LOG_DOWNLOAD_LINES: count(10_000_000, 1_000_000_000).describe(
    'Lines of a downloaded log; a longer one ends with a line that says from where to continue.',
  ),
  BERTH_LOG_DOWNLOAD_SECONDS: seconds(3600, 86_400).describe(
    'Time that a download of logs may take; a longer one ends with a line that says from where to continue.',
  ),
  ...USAGE_SETTINGS,
  BERTH_BUILDER: z
    .enum(['auto', 'own', 'engine'])
    .default('auto')
    .describe(
      'What builds images. own: a rootless BuildKit in a container of its own for each account, whose limits, network, images and cache are the account’s. engine: the builder of the engine, which all accounts share. auto: own, and engine while the image of the former cannot be had.',
    ),
  BERTH_BUILDER_IMAGE: z
    .string()
    .min(1)
    .default('moby/buildkit:buildx-stable-1-rootless')
    .describe('Image of the accounts’ builders: a rootless BuildKit.'),
  BERTH_BUILDER_CACHE_MB: count(20_000, 1_000_000).describe(
    'Disk space in MB that the cache of an account’s builder may take.',
  ),
  BERTH_BUILDER_IDLE_SECONDS: seconds(600).describe('Time without a build after which an account’s builder ends.'),
  BERTH_NIXPACKS: z
    .string()
    .startsWith('/', 'must be a path from the root, such as /usr/local/bin/nixpacks')
    .optional()
    .describe('Absolute path of the nixpacks program. Without it, builds with the builder NIXPACKS are refused.'),
  BERTH_BUILD_CONCURRENCY: count(2, 50).describe('Build slots per worker; more builds wait in a queue.'),
  BERTH_BUILD_TIMEOUT_SECONDS: seconds(1200).describe(
    'Timeout of one build, unless its app or plan says otherwise (`buildResources`).',
  ),
  BERTH_BUILD_Z_CLOUDS: z.coerce
    .number()
    .min(0.5)
    .max(64)
    .default(4)
    .describe(
      'Size of one build in zClouds, one CPU core and 512 MB of memory each, unless its app or plan says otherwise (`buildResources`).',
    ),
  BERTH_BUILD_DISK_MB: count(10_240, 1_000_000).describe(
    'Disk quota of a running build in MB, unless its app or plan says otherwise (`buildResources`). The BuildKit of the engine has none.',
  ),
  BERTH_BUILD_PROCESSES: whole(4096, 64, 1_000_000).describe(
    'Processes and threads that one build may have at a time, or one step of the classic builder. The engine’s BuildKit has no such limit; see BERTH_BUILD_CGROUP_PARENT.',
  ),
  BERTH_BUILD_CGROUP_PARENT: z
    .string()
    .regex(
      /^[\w./:-]{1,200}$/,
      'must be the name of a control group on the engine’s machine: a slice such as builds.slice where the engine’s cgroup driver is systemd, and a path such as /builds where it is cgroupfs',
    )
    .optional()
    .describe(
      'Control group under which the engine runs build steps, to limit all of them together, also with BuildKit. It must exist on the engine’s machine, with its limits: a slice such as `builds.slice` where `docker info` says `Cgroup Driver: systemd`, as on most machines, and a path such as `/builds` where it says `cgroupfs`.',
    ),
  BERTH_BUILD_LOG_LINES: whole(10_000, 100, 1_000_000).describe('Log lines kept per build.'),
  BERTH_BUILD_CACHE_HOURS: seconds(168, 8760).describe('How long layers of earlier builds are kept as a cache.'),
  BERTH_IMAGES_KEPT: count(20, 1000).describe(
    'Deployed versions per environment whose built images are kept for rollbacks.',
  ),
  BERTH_REGISTRIES: hostNames().describe(
    'Registries that images of accounts are pulled from, such as docker.io,ghcr.io; hosts with or without a port, comma-separated. Images of others are refused. Empty: every public registry.',
  ),
  BERTH_PRIVATE_REGISTRIES: registries().describe(
    'Registries that images may be pulled from although they, or their token services, are on private addresses or on this machine: hosts with or without a port, addresses or CIDR ranges, comma-separated.',
  ),
  BERTH_SHARE_LOCAL_IMAGES: switchable(true).describe(
    'Let every account run images that were put onto the engine by hand. Images that Berth pulled serve only the accounts that pulled them.',
  ),
  BERTH_PUSH_REPOSITORY: z
    .string()
    .refine(
      (name) => isImageReference(`${name}/app:1`),
      'must be a registry with a path, such as registry.example.com/berth',
    )
    .optional()
    .describe(
      'Registry and path that built images are pushed to, so that they can be pulled again if the engine loses them. Default: built images are not pushed.',
    ),
  BERTH_PUSH_USERNAME: z.string().optional().describe('User name for BERTH_PUSH_REPOSITORY.'),
  BERTH_PUSH_PASSWORD: z.string().optional().describe('Password for BERTH_PUSH_REPOSITORY.'),
  BERTH_IMAGE_LIMIT_MB: count(4096, 1_000_000).describe('Maximum size of a built image in MB.'),
  BERTH_SOURCE_LIMIT_MB: count(512, 100_000).describe(
    'Maximum size of a source in MB, unpacked, and of an uploaded archive.',
  ),
  BERTH_UPLOAD_BUDGET_MB: count(10_240, 100_000_000).describe(
    'Uploaded archives per account in MB: those that are kept, and the largest size of those on their way.',
  ),
  BERTH_SOURCE_LIMIT_FILES: count(50_000, 10_000_000).describe('Maximum number of files in a source.'),
  BERTH_SOURCE_TIMEOUT_SECONDS: seconds(300, 3600).describe('Timeout for fetching a source.'),
  BERTH_SOURCE_READING_SECONDS: seconds(30, 3600).describe(
    'Timeout for reading one Dockerfile or manifest of a source. Unpacking ends with BERTH_SOURCE_TIMEOUT_SECONDS.',
  ),
  BERTH_SOURCE_READING_MB: whole(256, 32, 8192).describe(
    'Memory limit in MB of the process that reads a source. Each running build has one.',
  ),
  BERTH_BACKUP_PRIVATE_HOSTS: switchable(false).describe(
    'Allow object storage for backups on private and loopback addresses, and on this machine.',
  ),
  BERTH_BACKUP_BUDGET_MB: count(102_400, 1_000_000_000).describe(
    'Backups per account in MB, as they are stored, in the data folder and in object storage together.',
  ),
  BERTH_BACKUP_TIMEOUT_SECONDS: seconds(21_600, 604_800).describe(
    'Timeout for taking, restoring or verifying a backup, on top of BERTH_OPERATION_TIMEOUT_SECONDS.',
  ),
  BERTH_LOG_ARCHIVE_SECONDS: seconds(60, 86_400).describe(
    'Interval at which the log of changes of a service with point in time is archived: what may be lost with the service’s machine.',
  ),
  BERTH_GIT_PRIVATE_HOSTS: switchable(false).describe(
    'Allow git repositories on private and loopback addresses, and on this machine.',
  ),
  BERTH_GITHUB_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://github.com' })
    .default('https://github.com')
    .describe('URL that GitHub repositories are cloned from. Change it for GitHub Enterprise.'),
  BERTH_GITHUB_API_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://api.github.com' })
    .default('https://api.github.com')
    .describe('URL of the GitHub API, which issues installation tokens.'),
  BERTH_GITHUB_APP_ID: z
    .string()
    .regex(/^\d+$/, 'must be the number of a GitHub App')
    .optional()
    .describe(
      'ID of the GitHub App that reads private repositories. Without it, only public repositories can be built.',
    ),
  BERTH_GITHUB_PRIVATE_KEY: z
    .string()
    .includes('PRIVATE KEY', { error: 'must be a private key in PEM format' })
    .transform((pem) => pem.replaceAll('\\n', '\n'))
    .optional()
    .describe('Private key of the GitHub App in PEM format. Line breaks may be written as \\n.'),
  BERTH_GITHUB_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe('Client ID of the GitHub App. With its secret, accounts prove by a code that an installation is theirs.'),
  BERTH_GITHUB_CLIENT_SECRET: z.string().min(1).optional().describe('Client secret of the GitHub App.'),
  BERTH_API_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://berth.example.com' })
    .optional()
    .describe('Public URL of the API, used in upload URLs. Default: the address that the request used.'),
  BERTH_DNS_SERVERS: dnsServers().describe(
    'DNS servers for validating custom hosts, comma-separated, such as 127.0.0.1:5353. Default: the DNS servers of the machine.',
  ),
  BERTH_UNPROVED_HOST_HOURS: whole(1, 0, 720).describe(
    'How long a custom host that DNS has never proved keeps another account from claiming it. An account that DNS proves to own the name gets it at once.',
  ),
  BERTH_HOST_COOLDOWN_HOURS: whole(720, 0, 8760).describe(
    'How long a host, automatic or custom, or a port for external access that is given up is reserved for the account that had it.',
  ),

  BERTH_BODY_LIMIT_KB: count(1024, 102_400).describe('Maximum body of an API request in KB.'),
  BERTH_REQUEST_TIMEOUT_SECONDS: seconds(30, 600).describe('Timeout of an API request that does not ask to wait.'),
  BERTH_MAX_WAIT_SECONDS: seconds(300, 3600).describe('Maximum wait that Prefer: wait and waitSeconds may ask for.'),
  BERTH_RATE_LIMIT: count(6000, 10_000_000).describe(
    'Rate limit: API requests per account and minute, over all API processes. All tokens of an account share it; an address may send five times as many.',
  ),
  BERTH_ANONYMOUS_RATE_LIMIT: count(600, 10_000_000).describe(
    'Rate limit: API requests without a valid token per client address and minute, over all API processes. IPv6 addresses count by /64 network.',
  ),
  BERTH_OPERATION_RATE_LIMIT: count(120, 1_000_000).describe(
    'Rate limit: operations per environment and minute, over all API processes.',
  ),
  BERTH_REGISTRY_LOGIN_RATE_LIMIT: count(10, 1_000_000).describe(
    'Rate limit: logins that Berth tries at registries, per account and minute, over all API processes.',
  ),
  BERTH_LOOKUP_RATE_LIMIT: count(60, 1_000_000).describe(
    'Rate limit: reads for which Berth asks DNS or a git host, per account and minute, over all API processes.',
  ),
  BERTH_ACCOUNT_APP_ENVS: count(10_000, 10_000_000).describe('Maximum number of environments per account.'),
  BERTH_ACCOUNT_CONTAINERS: count(10_000, 10_000_000).describe(
    'Maximum number of containers per account: the configured ones of all its environments, or the most that autoscaling may start. Runs of jobs count while they run, and wait for a place.',
  ),
  ...JOB_SETTINGS,
  ...REMOTE_SESSION_SETTINGS,
  BERTH_DEFAULT_PLAN: z
    .string()
    .min(1)
    .max(100)
    .default('standard')
    .describe('Code of the plan that new accounts are put on. A code that no plan has stops the start.'),
  BERTH_PLANS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file with plans and regions, read at each start: those that are missing are created, those that differ are changed, others are left alone. A file that is not valid stops the start.',
    ),
  BERTH_TOKENS: count(1000, 1_000_000).describe('Maximum number of tokens that work, per user and per environment.'),
  BERTH_IDEMPOTENCY_HOURS: count(24, 720).describe('How long the answer to an Idempotency-Key is kept.'),
  BERTH_EVENT_RETENTION_HOURS: count(168, 8760).describe(
    'Event retention: how far back a subscription can resume from a cursor.',
  ),
  BERTH_GRAPHQL_MAX_DEPTH: count(12, 100).describe('Maximum depth of a GraphQL document.'),
  BERTH_GRAPHQL_MAX_ALIASES: count(30, 1000).describe('Maximum number of aliases in a GraphQL document.'),
  BERTH_GRAPHQL_MAX_TOKENS: count(2000, 100_000).describe('Maximum number of lexical tokens in a GraphQL document.'),
  BERTH_GRAPHQL_MAX_COST: count(10_000, 10_000_000).describe(
    'Maximum cost of a GraphQL operation: its objects, multiplied by the sizes of the lists they are in; ten scalar fields count as an object.',
  ),
  BERTH_CONSOLE: switchable(true).describe('Serve the web console at `/console`.'),
  BERTH_GRAPHQL_INTROSPECTION: switchable(true).describe('Answer GraphQL introspection queries.'),
  BERTH_SUBSCRIPTIONS_PER_SOCKET: count(100, 10_000).describe('Maximum number of subscriptions on one WebSocket.'),
  BERTH_SUBSCRIBER_BACKLOG_KB: whole(1024, 256, 102_400).describe(
    'Maximum unread data per subscriber in KB; one that is further behind is disconnected and can resume from its cursor.',
  ),
  BERTH_HEARTBEAT_SECONDS: seconds(12, 300).describe(
    'Interval between heartbeats to a subscriber: WebSocket ping or SSE comment. A WebSocket that does not answer a ping is closed.',
  ),

  BERTH_INGRESS_PROCESSES: count(1, 64).describe(
    'Processes that serve the port of an ingress. One uses one processor at most. Limits per ingress are those of each of them.',
  ),
  BERTH_INGRESS_BODY_LIMIT_MB: count(100, 100_000).describe('Maximum body of a request to a deployed app in MB.'),
  BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS: seconds(60, 3600).describe(
    'How long a deployed app may take to begin its response.',
  ),
  BERTH_INGRESS_IDLE_SECONDS: seconds(300, 86_400).describe('Idle timeout of a proxied connection.'),
  BERTH_INGRESS_TUNNEL_IDLE_SECONDS: seconds(300, 86_400).describe(
    'Idle timeout of an upgraded connection, such as a WebSocket: how long neither side may send.',
  ),
  BERTH_INGRESS_KEEPALIVE_SECONDS: seconds(15, 3600).describe(
    'Silence of a client connection after which TCP asks whether the client is still there. One that does not answer within ten seconds more is closed, and so is one that acknowledges nothing for as long (Linux).',
  ),
  BERTH_API_CONNECTIONS_PER_CLIENT: count(1000, 1_000_000).describe(
    'Maximum number of connections of a client address to one API process. IPv6 addresses count by /64 network; trusted proxies have no maximum.',
  ),
  BERTH_INGRESS_MAX_CONNECTIONS: count(10_000, 1_000_000).describe('Maximum number of client connections per ingress.'),
  BERTH_INGRESS_CONNECTIONS_PER_REPLICA: count(1000, 100_000).describe(
    'Maximum number of requests and tunnels that one ingress has in progress at a replica; more wait in a queue.',
  ),
  BERTH_INGRESS_CONNECTIONS_PER_CLIENT: count(1000, 1_000_000).describe(
    'Maximum number of connections of a client address per ingress and, behind a trusted proxy, of its requests in progress. IPv6 addresses count by /64 network.',
  ),
  BERTH_INGRESS_QUEUE_SECONDS: seconds(10, 300).describe(
    'How long a request waits for an app that has as many connections as it may, before it is answered with 503.',
  ),
  ...TCP_SETTINGS,
  ...SCALING_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...OAUTH_SETTINGS,
  ...SIGN_IN_SETTINGS,
  BERTH_FAULT_INJECTION: z.string().min(1).optional().describe('Directory of fault injection orders. Only for tests.'),
  BERTH_TRUSTED_PROXIES: networks().describe(
    'Proxies in front of the API and the ingress whose X-Forwarded-* headers are trusted: addresses or CIDR ranges, comma-separated.',
  ),
})
