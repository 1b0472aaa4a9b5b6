import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSecret } from '../../src/storage/secrets/token-secret.ts'
import { BERTH_PROGRAM, BERTH_SOURCE } from './berth-program.ts'
import { freePort } from './free-ports.ts'

const START_TIMEOUT_MS = 60_000

export interface ApiProcess {
  child: ChildProcess
  /** Such as http://127.0.0.1:4000. */
  url: string
  token: string
  /** Its output so far. */
  said(): string
  /** Sends a signal and waits for the end; returns the exit code, and the time in milliseconds. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }>
}

interface ApiProcessOptions {
  databaseUrl: string
  /** Further settings; BERTH_ROLES is `api` unless they set it. */
  settings?: Record<string, string>
  nodeOptions?: string[]
  /** Gives the process a channel for messages. */
  ipc?: boolean
}

/** Starts real api processes on one database, as several hosts would: each has its own data directory. */
export function createFleet({ databaseUrl, ...common }: ApiProcessOptions) {
  const token = newSecret('USER')
  const masterKey = randomBytes(32).toString('hex')
  const directories: string[] = []
  const started: ApiProcess[] = []

  return {
    token,
    async start(options: Partial<ApiProcessOptions> = {}): Promise<ApiProcess> {
      const dataDir = await mkdtemp(join(tmpdir(), 'berth-api-'))
      directories.push(dataDir)
      const { settings = {}, nodeOptions = [], ipc = false } = { ...common, ...options }
      // Not the address that it says: that is the one that people reach, by a proxy.
      const port = settings.PORT ?? `${await freePort()}`
      // What is imported beforehand reaches into modules of Berth, and a bundle has its own of them.
      const program = nodeOptions.includes('--import') ? BERTH_SOURCE : BERTH_PROGRAM
      const child = spawn(process.execPath, [...nodeOptions, ...program], {
        stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])],
        env: {
          ...process.env,
          PORT: port,
          INGRESS_PORT: '0',
          BERTH_ROLES: 'api',
          BERTH_LOG_LEVEL: 'error',
          BERTH_HOST_FIREWALL: 'off',
          DATABASE_URL: databaseUrl,
          BERTH_DATA_DIR: dataDir,
          BERTH_ADMIN_TOKEN: token,
          BERTH_MASTER_KEY: masterKey,
          ...settings,
        },
      })
      const running = await untilReady(child, `http://127.0.0.1:${port}`, token)
      started.push(running)
      return running
    },
    async stop() {
      await Promise.all(started.map((running) => running.end('SIGTERM')))
      await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })))
    },
  }
}

async function untilReady(child: ChildProcess, url: string, token: string): Promise<ApiProcess> {
  let said = ''
  const ended = once(child, 'exit')
  const ready = new Promise<void>((resolve, reject) => {
    const failed = () => reject(new Error(`An api process did not start:\n${said}`))
    const late = setTimeout(failed, START_TIMEOUT_MS)
    const hear = (chunk: Buffer) => {
      said += chunk
      if (!/API\s+http\S+\/api/.test(said)) return
      clearTimeout(late)
      resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', failed)
  })
  await ready
  return {
    child,
    url,
    token,
    said: () => said,
    async end(signal = 'SIGTERM') {
      const since = performance.now()
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      const [code] = child.exitCode === null && child.signalCode === null ? await ended : [child.exitCode]
      return { code: code as number | null, ms: performance.now() - since }
    },
  }
}
