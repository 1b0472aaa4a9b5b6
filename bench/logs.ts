import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import pino from 'pino'
import { connect } from '../src/engines/docker/connection.ts'
import { createDockerRuntime } from '../src/engines/docker/runtime/docker-runtime.ts'
import type { ContainerRuntime } from '../src/engines/runtime/container-runtime.ts'
import { createDatabase, type Database } from '../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { migrate } from '../src/storage/database/migrate.ts'
import { AccountLogBudget } from '../src/worker/logs/account-log-budget.ts'
import { Collection } from '../src/worker/logs/collection.ts'
import { CLAIMED_STREAM, claimLogStream } from '../src/worker/logs/log-stream.ts'
import { ensureTestImage } from '../test/support/test-image.ts'
import type { BenchResult } from './bench-result.ts'
import { median } from './spread.ts'

const LINES = 100_000
const ROUNDS = 5
const INSTALLATION = 'ins_bench_logs'
const TALKER = `for (let n = 0; n < ${LINES}; n += 1) console.log('line ' + n + ' of what an ordinary app has to say, GET /index.html 200')`

/**
 * Collects the output of one container into an embedded, durable PostgreSQL, checkpoints included, and compares that
 * with only reading the engine's stream to its end. The two alternate.
 */
export async function benchLogs(): Promise<BenchResult> {
  const docker = new Docker()
  const containerId = await talk(docker)
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-logs-'))
  const server = await startEmbeddedPostgres({ dataDir })
  const database = createDatabase({ url: server.url, poolSize: 5 })
  const runtime = createDockerRuntime(connect({ installationId: INSTALLATION }))
  const ours: number[] = []
  const reference: number[] = []
  try {
    await migrate(server.url)
    for (let round = 0; round < ROUNDS; round += 1) {
      reference.push(await timed(() => readStream(docker, containerId)))
      ours.push(await timed(() => collect(database, runtime, containerId, round)))
    }
  } finally {
    await docker.getContainer(containerId).remove({ force: true })
    await database.$disconnect()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const [mine, theirs] = [LINES / median(ours), LINES / median(reference)]
  return {
    name: 'log lines collected per second, against only reading the engine’s stream',
    ratio: mine / theirs,
    aim: 0.4,
    better: 'higher',
    detail: `${Math.round(mine)} lines/s against ${Math.round(theirs)} lines/s, medians of ${ROUNDS} × ${LINES} lines`,
    limitedBy: 'PostgreSQL’s inserts into the table and its two indexes',
  }
}

async function talk(docker: Docker): Promise<string> {
  const container = await docker.createContainer({
    Image: await ensureTestImage(docker),
    Cmd: ['node', '-e', TALKER],
    Labels: { 'berth.installation': INSTALLATION },
    HostConfig: { LogConfig: { Type: 'json-file', Config: { 'max-size': '100m' } } },
  })
  await container.start()
  await container.wait()
  return container.id
}

async function readStream(docker: Docker, containerId: string): Promise<void> {
  const options = { follow: true, stdout: true, stderr: true, timestamps: true } as const
  const stream = (await docker.getContainer(containerId).logs(options)) as unknown as Readable
  for await (const chunk of stream) void chunk
}

async function collect(
  database: Database,
  runtime: ContainerRuntime,
  containerId: string,
  round: number,
): Promise<void> {
  const appEnvId = `env_${round}`
  // All rounds share the engine's container; each has its own row, which has collected nothing yet.
  const names = { appEnvId, contentId: 'con', name: 'talker', phase: 'exited', startedAt: new Date() }
  const row = await database.container.create({ data: { ...names, containerId: `${containerId} ${round}` } })
  const claim = await claimLogStream(database, { appEnvId, kind: 'CONTAINERS' }, { owner: 'bench', leaseSeconds: 60 })
  if (!claim) throw new Error('The log stream is already claimed')
  const log = pino({ level: 'fatal' })
  const collection = new Collection(
    {
      database,
      runtime,
      log,
      stream: CLAIMED_STREAM,
      budget: new AccountLogBudget(database, 100_000),
      linesPerMinute: 100 * LINES,
    },
    claim,
  )
  await collection.readToEnd({ ...row, containerId }, AbortSignal.timeout(120_000))
  await collection.close()
  const kept = await database.logLine.count({ where: { logStreamId: claim.id } })
  if (kept !== LINES) throw new Error(`${kept} of ${LINES} lines were kept`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  await sleep(200)
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}
