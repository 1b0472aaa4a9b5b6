import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import Docker from 'dockerode'
import type { BenchResult } from './bench-result.ts'
import { type JobPlatform, startJobPlatform } from './job-platform.ts'
import { median } from './spread.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, runs: { type: 'string', default: '1000' } },
  allowPositionals: true,
})
const ROUNDS = Number(values.rounds)
const RUNS = Number(values.runs)
/** Both sides take turns, so that load on the machine affects both. */
const TURNS = 4
const CONCURRENCY = 8
const LIMITS = { NanoCpus: 1e9, Memory: 512 * 1024 * 1024 }

/** Job runs against the same containers by dockerode alone: how soon the first line comes, and how many end per second. */
export async function benchJobRuns(): Promise<BenchResult[]> {
  const docker = new Docker()
  const berth = await startJobPlatform({ maxConcurrency: CONCURRENCY })
  try {
    return [await firstLine(docker, berth), await throughput(docker, berth)]
  } finally {
    await berth.stop()
  }
}

async function firstLine(docker: Docker, berth: JobPlatform): Promise<BenchResult> {
  const ours: number[] = []
  const reference: number[] = []
  for (let round = -1; round < ROUNDS; round += 1) {
    const [theirs, mine] = [await bareFirstLine(docker, berth.image), await berth.firstLine(`hello ${round}`)]
    // The first one of each warms up.
    if (round < 0) continue
    reference.push(theirs)
    ours.push(mine)
  }
  const [mine, theirs] = [median(ours), median(reference)]
  return {
    name: 'job run requested → first log line, against dockerode create + start → first log line',
    ratio: mine / theirs,
    aim: 1.3,
    better: 'lower',
    detail: `${mine.toFixed(0)} ms against ${theirs.toFixed(0)} ms, medians of ${ROUNDS}`,
    limitedBy: 'the engine’s own create and start, then the commits that make the start happen once, and the line’s',
  }
}

async function bareFirstLine(docker: Docker, image: string): Promise<number> {
  const began = performance.now()
  const container = await docker.createContainer({ Image: image, Cmd: ['echo', 'hello'], HostConfig: LIMITS })
  const stream = await container.attach({ stream: true, stdout: true })
  await container.start()
  await once(stream as unknown as Readable, 'data')
  const took = performance.now() - began
  await container.remove({ force: true })
  return took
}

async function throughput(docker: Docker, berth: JobPlatform): Promise<BenchResult> {
  const share = Math.ceil(RUNS / TURNS)
  let [mineMs, theirsMs] = [0, 0]
  for (let turn = 0; turn < TURNS; turn += 1) {
    theirsMs += await timed(() => bareRuns(docker, berth.image, share))
    mineMs += await berth.drain(share)
  }
  const [mine, theirs] = [mineMs, theirsMs].map((ms) => (share * TURNS * 1000) / ms) as [number, number]
  return {
    name: `queued job runs of \`true\` per second, against a dockerode loop of the same concurrency (${CONCURRENCY})`,
    ratio: mine / theirs,
    aim: 0.7,
    better: 'higher',
    detail: `${mine.toFixed(1)}/s against ${theirs.toFixed(1)}/s, ${share * TURNS} of each in ${TURNS} turns`,
    limitedBy: 'the engine, which is busy with the same calls; then the commits of each run and its output',
  }
}

/** The same without any record: create, start, wait, remove. */
async function bareRuns(docker: Docker, image: string, count: number): Promise<void> {
  let left = count
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const container = await docker.createContainer({ Image: image, Cmd: ['true'], HostConfig: LIMITS })
      await container.start()
      await container.wait()
      await container.remove()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
