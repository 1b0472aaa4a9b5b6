import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shutDown } from '../../src/storage/database/postgres-server.ts'
import { type BerthProcess, spawnBerth, startBerth } from '../processes/berth-process.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A data directory with an embedded PostgreSQL, for cases that stop Berth, damage its files and start it again. */
export interface OwnBerth {
  dataDir: string
  start(more?: Record<string, string>): Promise<RunningBerth>
  /** What a start says that must fail. */
  refusal(more?: Record<string, string>): Promise<string>
  /** Runs a program of this repository with the same settings. */
  run(program: string, args?: string[], more?: Record<string, string>): Promise<Ended>
}

interface RunningBerth {
  /** A REST call by the admin that must succeed; its body. */
  ok(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  said: string
}

export async function withOwnBerth<T>(work: (berth: OwnBerth) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-own-'))
  const settings = {
    PORT: '0',
    INGRESS_PORT: '0',
    BERTH_ROLES: 'api',
    BERTH_LOG_LEVEL: 'error',
    BERTH_DATA_DIR: dataDir,
  }
  const started = new Set<BerthProcess>()
  const berth: OwnBerth = {
    dataDir,
    async start(more = {}) {
      const process = await startBerth({ ...settings, ...more })
      started.add(process)
      return running(process, dataDir)
    },
    async refusal(more = {}) {
      const process = spawnBerth({ ...settings, ...more })
      started.add(process)
      const code = await endOf(process)
      if (code !== 1)
        throw new Error(`Berth started, or ended with ${code}, and should have refused:\n${process.said()}`)
      return process.said()
    },
    run: (program, args = [], more = {}) => run([join(ROOT, program), ...args], { ...settings, ...more }),
  }
  try {
    return await work(berth)
  } finally {
    await Promise.all([...started].map((process) => process.end('SIGKILL')))
    await shutDown(join(dataDir, 'postgres'), 5)
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Its exit code, or null when it is ready instead. */
async function endOf(process: BerthProcess): Promise<number | null> {
  let code: number | null | undefined
  void process.ended.then((ended) => {
    code = ended
  })
  while (code === undefined) {
    if (process.said().includes('Berth is ready')) return null
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return code
}

function running(process: BerthProcess, dataDir: string): RunningBerth {
  const [, url] = /API\s+(http:\/\/\S+)/.exec(process.said()) ?? []
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()
  return {
    async ok(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
      return JSON.parse(text)
    },
    stop: () => process.end('SIGTERM'),
  }
}

async function run(args: string[], settings: Record<string, string>): Promise<Ended> {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, HOME, ...settings } })
  let said = ''
  const keep = (chunk: Buffer) => {
    said += chunk
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep)
  const [code, signal] = await once(child, 'close')
  return { code, signal, said }
}
