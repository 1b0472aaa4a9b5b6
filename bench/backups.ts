import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import Docker from 'dockerode'
import type { EngineCommand } from '../src/app-types/engines/engine.ts'
import { postgresql } from '../src/app-types/engines/postgresql.ts'
import { ensureEngineImages } from '../test/support/engines/ensure-image.ts'
import type { BenchResult } from './bench-result.ts'
import { createPostgres } from './managed-postgres.ts'
import { type BenchPlatform, servingContainer, startBenchPlatform } from './platform.ts'
import { median, ratiosOf } from './spread.ts'

const ROUNDS = 3
const DATA_MB = 256
const MB = 1024 * 1024
const WAIT = { prefer: 'wait=600' }
const SQL = ['psql', '-q', '--username=berth', '--dbname=berth', '-v', 'ON_ERROR_STOP=1', '-c'] as const
/** Half of each row is random, as a hash of it; the other half can be compressed. */
const FILL = `CREATE TABLE noise AS SELECT n, repeat('row ', 16) || encode(sha256(n::text::bytea), 'hex') AS text
  FROM generate_series(1, ${(DATA_MB * MB) / 135}) AS n`

/**
 * A backup of PostgreSQL and its restore, as operations of Berth, against the engine's own tool and a file: with `docker
 * exec`, and for backups also with the same compression. In turns, so that load on the machine affects all.
 */
export async function benchBackups(): Promise<BenchResult[]> {
  const docker = new Docker()
  if (!(await ensureEngineImages(docker, postgresql))) return []
  const berth = await startBenchPlatform()
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-backups-'))
  try {
    const appEnvId = await createPostgres(berth)
    return await compare(berth, { docker, folder, appEnvId })
  } finally {
    await berth.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Place {
  docker: Docker
  folder: string
  appEnvId: string
}

async function compare(berth: BenchPlatform, place: Place): Promise<BenchResult[]> {
  const { docker, appEnvId, folder } = place
  const file = join(folder, 'dump')
  const saved = { ours: [] as number[], tool: [] as number[], compressed: [] as number[] }
  const restored = { ours: [] as number[], tool: [] as number[] }
  await inContainer(await servingContainer(docker, appEnvId), [...SQL, FILL])
  for (let round = 0; round < ROUNDS; round += 1) {
    const container = await servingContainer(docker, appEnvId)
    saved.tool.push(await timed(() => dump(container, file, false)))
    saved.compressed.push(await timed(() => dump(container, `${file}.zst`, true)))
    let backupKey: unknown
    saved.ours.push(
      await timed(async () => {
        const backup = await berth.post('/app-env/backup', { appEnvId }, WAIT)
        if (backup.success !== true) throw new Error(String(backup.message))
        backupKey = backup.backupKey
      }),
    )
    restored.tool.push(await timed(() => restoreWithTool(container, file)))
    const request = { appEnvId, backupKey, backupFirst: false }
    const answer = await berth.post('/app-env/backup-restore', request, WAIT)
    if (answer.success !== true) throw new Error(String(answer.message))
    restored.ours.push(await secondsOfStep(berth, appEnvId, 'restore'))
  }
  const megabytes = (await stat(file)).size / MB
  const words = (seconds: number[]) => `${(megabytes / median(seconds)).toFixed(0)} MB/s`
  const against = { better: 'higher', aim: 0.8 } as const
  return [
    {
      ...against,
      name: 'a backup of PostgreSQL, compressed and encrypted, against pg_dump piped to a file',
      ratio: median(ratiosOf(saved.tool, saved.ours)),
      detail: `${words(saved.ours)} of ${megabytes.toFixed(0)} MB against ${words(saved.tool)}; with zstd, too: ${words(saved.compressed)}, ratio ${rangeOf(ratiosOf(saved.compressed, saved.ours))}; ${rangeOf(ratiosOf(saved.tool, saved.ours))}`,
      limitedBy:
        'compression and encryption, which share the cores with the engine; the time is that of the whole call',
    },
    {
      ...against,
      name: 'a restore of PostgreSQL with its verification, against pg_restore from a file and the same verification',
      ratio: median(ratiosOf(restored.tool, restored.ours)),
      detail: `${words(restored.ours)} against ${words(restored.tool)}; ${rangeOf(ratiosOf(restored.tool, restored.ours))}`,
      limitedBy: 'the engine, which writes every row; the new volume and container are made before',
    },
  ]
}

async function dump(container: string, file: string, isCompressed: boolean): Promise<void> {
  const child = exec(container, postgresql.backup.save.command)
  const compress = isCompressed ? [createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } })] : []
  await Promise.all([pipeline([child.stdout, ...compress, createWriteStream(file)]), ended(child)])
}

/** Into a database of its own beside the other one, read back as Berth reads it, and dropped. */
async function restoreWithTool(container: string, file: string): Promise<void> {
  await inContainer(container, [...SQL, 'CREATE DATABASE other'])
  const inOther = { environment: { POSTGRES_DB: 'other' } }
  const child = exec(container, postgresql.backup.restore.command, inOther)
  await Promise.all([pipeline(createReadStream(file), child.stdin), ended(child)])
  await inContainer(container, postgresql.backup.verify, inOther)
  await inContainer(container, [...SQL, 'DROP DATABASE other'])
}

const inContainer = (container: string, command: EngineCommand, options = {}): Promise<void> => {
  const child = exec(container, command, options)
  child.stdin.end()
  child.stdout.resume()
  return ended(child)
}

function exec(
  container: string,
  command: EngineCommand,
  { environment = {} }: { environment?: Record<string, string> } = {},
) {
  const set = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  return spawn('docker', ['exec', '--interactive', ...set, container, ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

async function ended(child: ReturnType<typeof exec>): Promise<void> {
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`docker exec ended with ${code}`)
}

interface Step {
  name: string
  startedAt: string
  finishedAt: string
}

/** Of the newest operation. */
async function secondsOfStep(berth: BenchPlatform, appEnvId: string, name: string): Promise<number> {
  const { operations } = (await berth.get(`/operations?appEnvId=${appEnvId}`)) as { operations: { steps: Step[] }[] }
  const step = operations[0]?.steps.find((one) => one.name === name)
  if (!step) throw new Error(`The operation has no step ${name}`)
  return (Date.parse(step.finishedAt) - Date.parse(step.startedAt)) / 1000
}

async function timed(run: () => Promise<void>): Promise<number> {
  const since = performance.now()
  await run()
  return (performance.now() - since) / 1000
}

const rangeOf = (ratios: number[]): string =>
  `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)} in ${ratios.length} rounds`

if (import.meta.main) console.log(await benchBackups())
