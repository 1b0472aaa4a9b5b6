import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Docker from 'dockerode'
import pg from 'pg'
import { postgresql } from '../src/app-types/engines/postgresql.ts'
import { ensureEngineImages } from '../test/support/engines/ensure-image.ts'
import { freePort } from '../test/support/free-ports.ts'
import type { BenchResult } from './bench-result.ts'
import { createPostgres, directUrl } from './managed-postgres.ts'
import { startBenchPlatform } from './platform.ts'
import { median, ratiosOf } from './spread.ts'
import type { Load } from './tcp-client.ts'

const ROUNDS = 5
const SECONDS = 3
const MB = 1_048_576

const children: ChildProcess[] = []

/**
 * A PostgreSQL that Berth runs and a stream of bytes through a port of the ingress, against the same client connected
 * directly. Server, ingress and client are separate processes; the two ways take turns, so that load on the machine
 * affects both.
 */
export async function benchTcp(): Promise<BenchResult[]> {
  const client = await start('tcp-client.ts')
  try {
    return [...(await benchQueries(client.child)), await benchStream(client.child)]
  } finally {
    for (const child of children.splice(0)) child.kill()
  }
}

async function benchQueries(client: ChildProcess): Promise<BenchResult[]> {
  const docker = new Docker()
  if (!(await ensureEngineImages(docker, postgresql))) return []
  const berth = await startBenchPlatform()
  try {
    const url = await directUrl(berth, docker, await createPostgres(berth))
    await fill(url.href)
    return [
      result(
        'transactions of pgbench, of seven queries each, through the TCP ingress against a direct connection',
        0.8,
        await compare(client, url, 'transactions'),
        (perSecond) => `${Math.round(perSecond).toLocaleString('en')} transactions/s`,
      ),
      result(
        'queries by primary key, as pgbench’s select-only script, through the TCP ingress against a direct connection',
        0.8,
        await compare(client, url, 'selects'),
        (perSecond) => `${Math.round(perSecond).toLocaleString('en')} queries/s`,
      ),
    ]
  } finally {
    await berth.stop()
  }
}

async function benchStream(client: ChildProcess): Promise<BenchResult> {
  const source = await start('tcp-source.ts')
  return result(
    'a stream of bytes through the TCP ingress against a direct connection',
    0.5,
    await compare(client, new URL(`tcp://127.0.0.1:${source.port}`), 'bytes'),
    (perSecond) => `${Math.round(perSecond / MB).toLocaleString('en')} MB/s`,
  )
}

interface Compared {
  direct: number
  through: number
  /** Of each round. */
  ratios: number[]
  cpuSeconds: number
  seconds: number
}

function result(name: string, aim: number, compared: Compared, inWords: (perSecond: number) => string): BenchResult {
  const { direct, through, ratios, cpuSeconds, seconds } = compared
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
  return {
    name,
    ratio: median(ratios),
    aim,
    better: 'higher',
    detail: `${inWords(through)} through the ingress, ${inWords(direct)} directly; medians of ${ROUNDS} rounds, ${least}–${most}`,
    limitedBy: `the cores that client, server and ingress share: the ingress used ${((cpuSeconds / seconds) * 100).toFixed(0)} % of one for two reads and two writes where the direct way has one of each`,
  }
}

async function compare(client: ChildProcess, url: URL, what: Load['what']): Promise<Compared> {
  const ingress = await start('tcp-ingress-server.ts', `${await freePort()}`, url.hostname, url.port)
  const detour = new URL(url)
  detour.hostname = '127.0.0.1'
  detour.port = `${ingress.port}`
  for (const way of [url, detour]) await load(client, { what, url: way.href, seconds: 1 })
  const [direct, through]: [number[], number[]] = [[], []]
  let cpuMicroseconds = -(await cpuOf(ingress.child))
  for (let round = 0; round < ROUNDS; round += 1) {
    direct.push(await load(client, { what, url: url.href, seconds: SECONDS }))
    through.push(await load(client, { what, url: detour.href, seconds: SECONDS }))
  }
  cpuMicroseconds += await cpuOf(ingress.child)
  const seconds = ROUNDS * SECONDS
  const ratios = ratiosOf(through, direct)
  const cpuSeconds = cpuMicroseconds / 1_000_000
  return { direct: median(direct), through: median(through), ratios, cpuSeconds, seconds }
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const [{ user, system }] = await once(child, 'message')
  return user + system
}

async function load(client: ChildProcess, load: Load): Promise<number> {
  client.send(load)
  const [perSecond] = await once(client, 'message')
  return perSecond
}

async function start(program: string, ...args: string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, program), args)
  children.push(child)
  if (program === 'tcp-client.ts') return { child, port: 0 }
  const [port] = await once(child, 'message')
  return { child, port }
}

async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    CREATE TABLE accounts AS SELECT id, 0 AS balance, repeat(' ', 84) AS filler FROM generate_series(1, 1000000) AS id;
    CREATE TABLE tellers AS SELECT id, 0 AS balance FROM generate_series(1, 100) AS id;
    CREATE TABLE branches AS SELECT id, 0 AS balance FROM generate_series(1, 10) AS id;
    CREATE TABLE history (teller int, branch int, account int, delta int, at timestamptz);
    ALTER TABLE accounts ADD PRIMARY KEY (id);
    ALTER TABLE tellers ADD PRIMARY KEY (id);
    ALTER TABLE branches ADD PRIMARY KEY (id)`)
  await client.query('VACUUM ANALYZE')
  await client.end()
}

if (import.meta.main) console.log(await benchTcp())
