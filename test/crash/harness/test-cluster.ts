import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Docker from 'dockerode'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { findServer } from '../../../src/storage/database/postgres-server.ts'
import { newSecret } from '../../../src/storage/secrets/token-secret.ts'
import { descendantsOf } from '../../supervisor/process-tree.ts'
import { copyServer } from '../../support/copy-server.ts'
import { freePort } from '../../support/free-ports.ts'
import { removeEverything } from '../../support/remove-everything.ts'
import { ensureTestImage } from '../../support/test-image.ts'
import { recordInstallation } from '../../support/test-installations.ts'
import { Orders } from './orders.ts'
import { BerthProcess } from './process.ts'

const ANSWER_TIMEOUT_MS = 60_000

export interface Answer {
  status: number
  body: Record<string, unknown>
  text: string
  /** The operation that was begun, if one was. */
  operationId: string | null
}

export type Role = 'api' | 'worker' | 'ingress'

export type TestCluster = Awaited<ReturnType<typeof startTestCluster>>

export interface TestClusterOptions {
  /** How many processes of each role; one of each when omitted. */
  processes?: Partial<Record<Role, number>>
  settings?: Record<string, string>
  /** Where everything but the engine is kept; a folder for temporary files when omitted. */
  parent?: string
  /** Where the database is kept instead. */
  databaseParent?: string
  /** Whether the database is started again by itself when it ends; only on request, if omitted. */
  isDatabaseRevived?: boolean
  /** A data directory to copy, when the database need not be created here; `copyServer` takes it. */
  postgresTemplate?: string
  /** The engine that containers run on, when it is not the machine's own. */
  docker?: Docker
}

/** Berth as a company runs it, role by role in processes of their own, on a PostgreSQL that is nobody else's. */
export async function startTestCluster(options: TestClusterOptions = {}) {
  const folder = mkdtempSync(join(options.parent ?? tmpdir(), 'berth-crash-'))
  // Apart from the rest, which may be on a disk that a test fills up.
  const orders = new Orders(mkdtempSync(join(tmpdir(), 'berth-orders-')))
  // The machine does not crash, so nothing need reach the disk; what is committed has to survive the server's death.
  const databaseDir = join(options.databaseParent ?? folder, 'database')
  const startDatabase = () =>
    startEmbeddedPostgres({
      dataDir: databaseDir,
      settings: { fsync: 'off' },
      isRevived: options.isDatabaseRevived ?? false,
    })
  if (options.postgresTemplate) copyServer(options.postgresTemplate, databaseDir)
  let postgres = await startDatabase()
  const databaseUrl = postgres.url
  const token = newSecret('USER')
  const common = {
    DATABASE_URL: databaseUrl,
    BERTH_ADMIN_TOKEN: token,
    BERTH_MASTER_KEY: randomBytes(32).toString('hex'),
    BERTH_FAULT_INJECTION: orders.folder,
    BERTH_LOG_LEVEL: 'warn',
    BERTH_RECONCILE_SECONDS: '2',
    BERTH_PRIVATE_REGISTRIES: '127.0.0.1',
    BERTH_HOST_FIREWALL: 'off',
    BERTH_DRAIN_SECONDS: '1',
    BERTH_ROUTE_PROPAGATION_MS: '300',
    BERTH_STOP_GRACE_SECONDS: '2',
    BERTH_OPERATION_RATE_LIMIT: '1000000',
    BERTH_RATE_LIMIT: '10000000',
    ...options.settings,
  }
  const uploads = join(folder, 'uploads')
  mkdirSync(uploads)
  const processes: BerthProcess[] = []
  const ports: Record<Role, number[]> = { api: [], worker: [], ingress: [] }
  for (const role of ['api', 'worker', 'ingress'] as const) {
    for (let number = 1; number <= (options.processes?.[role] ?? 1); number += 1) {
      const name = `${role}-${number}`
      const [port, ingressPort] = [await freePort(), await freePort()]
      ports[role].push(role === 'ingress' ? ingressPort : port)
      // Archives come in at one process and are built by another: they have to share what they are kept in.
      mkdirSync(join(folder, name))
      symlinkSync(uploads, join(folder, name, 'uploads'))
      const environment = {
        ...common,
        // As it is shipped: an ingress alone has no more rights than its statements need.
        DATABASE_URL: role === 'ingress' ? postgres.ingressUrl : databaseUrl,
        BERTH_ROLES: role,
        BERTH_DATA_DIR: join(folder, name),
        PORT: String(role === 'api' ? port : 0),
        INGRESS_PORT: String(role === 'ingress' ? ingressPort : 0),
        BERTH_HEALTH_PORT: String(role === 'api' ? 0 : port),
      }
      processes.push(new BerthProcess({ name, environment, port, logFile: join(folder, `${name}.log`) }))
    }
  }
  for (const one of processes) one.start()
  await Promise.all(processes.map((one) => one.ready()))
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  pool.on('error', () => {})
  const docker = options.docker ?? new Docker()
  const { rows } = await pool.query('SELECT id FROM installation')
  const installationId = String(rows[0].id)
  recordInstallation(installationId)

  /** One REST call, repeated with the same Idempotency-Key until it is answered, whatever dies meanwhile. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const key: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': randomUUID() }
    const until = Date.now() + ANSWER_TIMEOUT_MS
    for (let attempt = 0; ; attempt += 1) {
      const answer = await fetch(`http://127.0.0.1:${ports.api[attempt % ports.api.length]}/api/public/v1${path}`, {
        method,
        headers: { authorization: token, 'content-type': 'application/json', ...key, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
        .then(async (response) => ({
          status: response.status,
          text: await response.text(),
          isJson: /json/.test(response.headers.get('content-type') ?? ''),
          operationId: /op_\w+/.exec(response.headers.get('operation-location') ?? '')?.[0] ?? null,
        }))
        .catch((error: Error) => ({ status: 0, text: String(error.cause ?? error), isJson: false, operationId: null }))
      const isAnswered = answer.status !== 0 && answer.status !== 503
      // A list may be read as CSV.
      if (isAnswered) return { ...answer, body: answer.isJson ? JSON.parse(answer.text) : {} }
      if (Date.now() > until) throw new Error(`${method} ${path} was not answered: ${answer.status} ${answer.text}`)
      await pause(50)
    }
  }

  function signalServer(signal: NodeJS.Signals): void {
    const server = findServer(join(databaseDir, 'postgres'))
    for (const { pid } of server ? descendantsOf(server.pid) : []) process.kill(pid, signal)
  }

  return {
    folder,
    orders,
    databaseUrl,
    superuserUrl: postgres.superuserUrl,
    token,
    processes,
    ports,
    pool,
    docker,
    installationId,
    call,
    image: await ensureTestImage(docker),
    of: (role: Role) => processes.filter(({ name }) => name.startsWith(role)),
    database: {
      kill() {
        const server = findServer(join(databaseDir, 'postgres'))
        if (server) process.kill(server.pid, 'SIGKILL')
      },
      /** It takes connections, and answers nothing. */
      pause: () => signalServer('SIGSTOP'),
      resume: () => signalServer('SIGCONT'),
      async restart() {
        postgres = await startDatabase()
      },
    },
    /** A call that has to be accepted; its body. */
    async ok(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
      return accepted(method, path, await call(method, path, body)).body
    },
    /** A call that has to begin an operation; its id. */
    async begin(method: string, path: string, body?: unknown): Promise<string> {
      const { operationId, text } = accepted(method, path, await call(method, path, body))
      if (operationId === null) throw new Error(`${method} ${path} began nothing: ${text}`)
      return operationId
    },
    async close(isKept = false) {
      await Promise.all(processes.map((one) => one.stop()))
      await pool.end()
      await postgres.stop()
      await removeEverything(docker, installationId)
      rmSync(orders.folder, { recursive: true, force: true })
      if (!isKept) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function accepted(method: string, path: string, answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return answer
}
