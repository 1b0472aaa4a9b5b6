import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { addPrograms, importRoot } from '../scripts/image-root.ts'
import { type BenchPlatform, startBenchPlatform } from './platform.ts'

const IMAGE = 'berth-bench-programs:1'
const POLL_MS = 100
/** Requests under way at a time. */
const CALLERS = 8

const LINES = 'subscription ($appEnvId: ID!) { appEnvLogs(appEnvId: $appEnvId) { lines { message } } }'

export interface JobPlatform {
  image: string
  /** Milliseconds from the request until a subscriber has the line that the run prints. */
  firstLine(text: string): Promise<number>
  /** Milliseconds from the first of so many requests until the last run of `true` has ended. */
  drain(count: number): Promise<number>
  stop(): Promise<void>
}

/** A job, and a subscriber to what its runs print. */
export async function startJobPlatform({ maxConcurrency }: { maxConcurrency: number }): Promise<JobPlatform> {
  const image = await ensureImage(new Docker())
  const berth = await startBenchPlatform({ BERTH_RATE_LIMIT: '10000000', BERTH_OPERATION_RATE_LIMIT: '1000000' })
  const appEnvId = await createJob(berth, image, maxConcurrency)
  const lines = await subscribe(berth, appEnvId)
  const begin = (command: string, args: string[] = []) =>
    berth.post('/app-env/job-runs', { appEnvId, command, args, shell: false })
  return {
    image,
    async firstLine(text) {
      const began = performance.now()
      const arrived = lines.of(text)
      await begin('echo', [text])
      const at = await arrived
      await untilEnded(berth, appEnvId)
      return at - began
    },
    async drain(count) {
      const began = performance.now()
      let left = count
      const caller = async () => {
        while (left > 0) {
          left -= 1
          await begin('true')
        }
      }
      await Promise.all(Array.from({ length: CALLERS }, caller))
      await untilEnded(berth, appEnvId)
      return performance.now() - began
    },
    async stop() {
      lines.close()
      await berth.stop()
    },
  }
}

async function ensureImage(docker: Docker): Promise<string> {
  const isThere = await docker
    .getImage(IMAGE)
    .inspect()
    .then(Boolean, () => false)
  if (!isThere)
    await importRoot(docker, IMAGE, (archive) =>
      addPrograms(archive, { 'bin/true': '/bin/true', 'bin/echo': '/bin/echo' }),
    )
  return IMAGE
}

async function createJob(berth: BenchPlatform, image: string, maxConcurrency: number): Promise<string> {
  const { accounts } = (await berth.get('/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts[0]?.accountId
  const jobConfig = { maxConcurrency, ttlSecondsAfterFinished: 0 }
  const { appId } = await berth.post('/app', {
    name: 'Jobs',
    accountId,
    dockerPreset: 'JOB',
    useImage: true,
    image,
    jobConfig,
  })
  const { appEnvId } = await berth.post('/app-env', { accountId, appId, name: 'production', region: 'local' })
  await berth.post('/app-env/deploy-image', { appEnvId, image }, { prefer: 'wait=60' })
  return String(appEnvId)
}

async function untilEnded(berth: BenchPlatform, appEnvId: string): Promise<void> {
  for (const status of ['QUEUED', 'RUNNING']) {
    for (;;) {
      const { jobRuns } = await berth.get(`/app-env/job-runs?appEnvId=${appEnvId}&status=${status}&limit=1`)
      if ((jobRuns as unknown[]).length === 0) break
      await sleep(POLL_MS)
    }
  }
}

/** A subscription over SSE that is open before anything is measured. */
async function subscribe({ apiUrl, token }: BenchPlatform, appEnvId: string) {
  const ending = new AbortController()
  const response = await fetch(`${apiUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: LINES, variables: { appEnvId } }),
    signal: ending.signal,
  })
  if (!response.ok || !response.body) throw new Error(`The subscription answered ${response.status}`)
  const awaited = new Map<string, (at: number) => void>()
  const reading = read(response.body, (text) => {
    for (const [wanted, arrived] of awaited) if (text.includes(`"${wanted}"`)) arrived(performance.now())
  })
  reading.catch(() => {})
  return {
    of(text: string): Promise<number> {
      const { promise, resolve } = Promise.withResolvers<number>()
      awaited.set(text, resolve)
      return promise.finally(() => awaited.delete(text))
    },
    close: () => ending.abort(),
  }
}

async function read(body: ReadableStream<Uint8Array>, each: (message: string) => void): Promise<void> {
  let kept = ''
  const decoder = new TextDecoder()
  for await (const bytes of body) {
    const messages = `${kept}${decoder.decode(bytes, { stream: true })}`.split('\n\n')
    kept = messages.pop() ?? ''
    for (const message of messages) each(message)
  }
}
