import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import pg from 'pg'
import { removeFirewall } from '../../src/platform/host-firewall/host-firewall.ts'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { startBerth } from '../processes/berth-process.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import type { Answer, FreshBerth } from './trust-case.ts'

const CALL_TIMEOUT_MS = 60_000

/**
 * Starts Berth as `npm start` runs it, on a PostgreSQL, data directory and ports of its own: in memory, unless it shall be
 * durable.
 */
export async function startFreshBerth(settings: Readonly<Record<string, string>> = {}, { isDurable = false } = {}) {
  const folder = await mkdtemp(join(isDurable ? tmpdir() : scratchFolder(), 'berth-fresh-'))
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const durability: Record<string, string> = isDurable ? {} : { fsync: 'off' }
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'database'), settings: durability })
  undo.defer(() => postgres.stop())
  const dataDir = join(folder, 'data')
  const environment = {
    PORT: '0',
    INGRESS_PORT: '0',
    DATABASE_URL: postgres.url,
    BERTH_DATA_DIR: dataDir,
    BERTH_DRAIN_SECONDS: '1',
    BERTH_STOP_GRACE_SECONDS: '1',
    BERTH_HOST_FIREWALL: 'auto',
    ...settings,
  }
  const process = await startBerth(environment, { isSupervised: true })
  const docker = new Docker()
  const installationId = await readInstallationId(postgres.url)
  // After the processes, because a worker repeats its rules, and starts containers that are removed again.
  undo.defer(() => removeFirewall(installationId))
  undo.defer(() => removeEverything(docker, installationId))
  undo.defer(() => process.end('SIGTERM'))
  const url = found(process.said(), /API\s+(http:\/\/\S+?)\/api/)
  const port = found(process.said(), /Apps?\s+http:\/\/\S+?:(\d+)/)
  const adminToken = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()

  const call = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
  const authorized = (token: string | null | undefined): Record<string, string> =>
    token === null ? {} : { authorization: token ?? adminToken }
  const rest: FreshBerth['rest'] = (method, path, body, { token, headers } = {}) =>
    call(method, `/api/public/v1${path}`, body, { ...authorized(token), ...headers })
  const ok: FreshBerth['ok'] = async (method, path, body, options) => {
    const answer = await rest(method, path, body, options)
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const graphql: FreshBerth['graphql'] = (query, variables, { token } = {}) =>
    call('POST', '/graphql', { query, variables }, authorized(token))

  const berth: FreshBerth = {
    url,
    ingressUrl: `http://127.0.0.1:${port}`,
    adminToken,
    dataDir,
    databaseUrl: postgres.url,
    docker,
    installationId,
    log: process.said,
    rest,
    ok,
    graphql,
  }
  const running = undo.move()
  return { berth, close: () => running.disposeAsync() }
}

function found(said: string, pattern: RegExp): string {
  const value = pattern.exec(said)?.[1]
  if (!value) throw new Error(`Berth did not print ${pattern}:\n${said}`)
  return value
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

async function readInstallationId(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('SELECT id FROM installation')
  await client.end()
  return String(rows[0].id)
}
