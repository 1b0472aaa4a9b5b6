import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Docker from 'dockerode'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { findServer } from '../../src/storage/database/postgres-server.ts'
import { sampleStartup } from '../e2e/sample-app.ts'
import { copyServer } from '../support/copy-server.ts'
import { freePort } from '../support/free-ports.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'
import { descendantsOf } from './process-tree.ts'

const ROOT = join(import.meta.dirname, '../..')
const POLL_MS = 50
/** A bound on a hang. */
const TIMEOUT_MS = 90_000

export type SupervisedBerth = Awaited<ReturnType<typeof startSupervisedBerth>>

interface SupervisedOptions {
  command?: string[]
  /** A data directory whose database is copied, when the start need not create it; `copyServer` takes it. */
  postgresTemplate?: string
}

/** Berth as `npm start` runs it, on a data directory of its own with an embedded database. */
export async function startSupervisedBerth({
  command = [process.execPath, 'scripts/supervise.mjs'],
  postgresTemplate,
}: SupervisedOptions = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-supervised-'))
  if (postgresTemplate) copyServer(postgresTemplate, dataDir)
  const ports = { PORT: `${await freePort()}`, INGRESS_PORT: `${await freePort()}` }
  // It would outlive the test as rules of this machine.
  const settings = { ...ports, BERTH_DATA_DIR: dataDir, BERTH_HOST_FIREWALL: 'off' }
  const url = `http://127.0.0.1:${settings.PORT}`
  let said = ''
  let child: ChildProcess

  async function start(): Promise<void> {
    said = ''
    const [program = '', ...args] = command
    const env = { ...process.env, ...settings, BERTH_STOP_GRACE_SECONDS: '1', BERTH_DRAIN_SECONDS: '1' }
    child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        said += chunk
      })
    }
    await until(() => /Berth is ready/.test(said) || child.exitCode !== null)
    if (child.exitCode !== null) throw new Error(`Berth ended instead of starting:\n${said}`)
  }

  /** One request that must succeed, by the admin. */
  async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const authorization = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', prefer: 'wait=120' },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text.startsWith('{') ? JSON.parse(text) : { text }
  }

  /** Deploys the sample app; its host. */
  async function deploySample(): Promise<string> {
    const image = await ensureTestImage(new Docker())
    const rest = (path: string, body?: object) => call(body ? 'POST' : 'GET', `/api/public/v1${path}`, body)
    const { accounts } = (await rest('/accounts')) as { accounts: { accountId: string }[] }
    const accountId = accounts.at(-1)?.accountId
    const app = { name: 'Sample', accountId, port: 3000, useImage: true, image, healthCheckPath: '/healthz' }
    const { appId } = await rest('/app', app)
    const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig: sampleStartup }
    const { appEnvId } = await rest('/app-env', appEnv)
    await rest('/app-env/deploy-image', { appEnvId, image })
    const { hosts } = (await rest(`/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
    return hosts[0] ?? ''
  }

  async function isReady(): Promise<boolean> {
    const response = await fetch(`${url}/readyz`).catch(() => null)
    return ((await response?.json().catch(() => null)) as { ready?: boolean } | null)?.ready === true
  }

  await start()
  return {
    url,
    dataDir,
    start,
    call,
    deploySample,
    isReady,
    ingressPort: Number(settings.INGRESS_PORT),
    said: () => said,
    get pid(): number {
      return child.pid ?? 0
    },
    /** The process that plays the role. */
    processOf(role: 'api' | 'ingress'): number {
      const found = descendantsOf(child.pid ?? 0).find(({ command }) => new RegExp(`--roles=${role}`).test(command))
      if (!found) throw new Error(`No process plays the role ${role}`)
      return found.pid
    },
    databaseProcess: () => findServer(join(dataDir, 'postgres'))?.pid ?? null,
    /** Sends a signal to the supervisor; its exit code, once it has ended. */
    async end(signal: NodeJS.Signals): Promise<number | null> {
      const ended = once(child, 'exit')
      child.kill(signal)
      return (await ended)[0] as number | null
    },
    /** Ends it, and removes everything that it made. */
    async close(): Promise<void> {
      const processes = descendantsOf(child.pid ?? 0).map(({ pid }) => pid)
      if (child.exitCode === null && child.signalCode === null) await this.end('SIGTERM')
      // npm does not wait for what it has started.
      await until(() => !processes.some(isAlive))
      await removeContainers(dataDir)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** One that has ended, and whose end nobody has asked for yet, is not: whoever adopts orphans may do so late. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    // Where there is no /proc, the signal alone tells.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync('/proc')
  }
}

/** Waits for a state; throws when it does not come about. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Not so after ${TIMEOUT_MS} ms: ${isSo}`)
    await pause(POLL_MS)
  }
}

async function removeContainers(dataDir: string): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query('SELECT id FROM installation')
  await client.end()
  await server.stop()
  await removeEverything(new Docker(), String(rows[0].id))
}
