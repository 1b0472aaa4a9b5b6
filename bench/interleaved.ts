import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { inWhole, type Spread, spreadOf } from './spread.ts'

const ROUNDS = 5
const SECONDS = 4
/** Node compiles a program of this size only after thousands of requests. */
const WARM_UP_SECONDS = 10
export const CONNECTIONS = 20

const AUTOCANNON = join(import.meta.dirname, '../node_modules/autocannon/autocannon.js')
const run = promisify(execFile)

export interface Server {
  child: ChildProcess
  port: number
}

/** One request, which every server of a comparison gets. */
export interface Load {
  path: string
  token: string
  /** Sent as JSON by POST; a GET when omitted. */
  body?: unknown
}

/** What a server did in its turns: requests per second and µs of processor time per request. */
export interface Measured {
  perSecond: Spread
  cpuMicros: Spread
}

/** A database of its own and server processes, which all end with `use`. */
export async function withServers<T>(
  use: (url: string, start: (program: string, ...args: string[]) => Promise<Server>) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  const children: ChildProcess[] = []
  const start = async (program: string, ...args: string[]): Promise<Server> => {
    // In production the access log is written to a file or a pipe; here it is discarded.
    const child = fork(join(import.meta.dirname, program), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    children.push(child)
    const [port] = await once(child, 'message')
    return { child, port }
  }
  try {
    return await use(postgres.url, start)
  } finally {
    for (const child of children) child.kill()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Loads the servers in turns, so that what else the machine does meets all of them. Answers in their order. */
export async function interleaved(servers: Server[], load: Load): Promise<Measured[]> {
  for (const server of servers) await take(server, load, WARM_UP_SECONDS)
  const turns = servers.map((): { perSecond: number; cpuMicros: number }[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, server] of servers.entries()) turns[index]?.push(await take(server, load, SECONDS))
  }
  return turns.map((all) => ({
    perSecond: spreadOf(all.map(({ perSecond }) => perSecond)),
    cpuMicros: spreadOf(all.map(({ cpuMicros }) => cpuMicros)),
  }))
}

/** `412 (398–420) req/s at 1,031 µs (1,010–1,090) of CPU` */
export const inWords = ({ perSecond, cpuMicros }: Measured): string =>
  `${inWhole(perSecond)} req/s at ${inWhole(cpuMicros)} µs of CPU`

export const HOW = `medians of ${ROUNDS} interleaved turns (least–most), ${CONNECTIONS} connections`

async function take(server: Server, { path, token, body }: Load, seconds: number) {
  const before = await cpuOf(server)
  const post =
    body === undefined ? [] : ['-m', 'POST', '-b', JSON.stringify(body), '-H', 'Content-Type: application/json']
  const { stdout } = await run(process.execPath, [
    AUTOCANNON,
    '--json',
    '-c',
    `${CONNECTIONS}`,
    '-d',
    `${seconds}`,
    '-H',
    `Authorization: ${token}`,
    ...post,
    `http://127.0.0.1:${server.port}${path}`,
  ])
  const { requests, duration, non2xx, errors } = JSON.parse(stdout)
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 2xx, ${errors} requests failed`)
  return { perSecond: requests.total / duration, cpuMicros: ((await cpuOf(server)) - before) / requests.total }
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send('cpu')
  const [{ user, system }] = await once(child, 'message')
  return user + system
}
