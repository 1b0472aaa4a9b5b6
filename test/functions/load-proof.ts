import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Subject } from '../crash/harness/subject.ts'
import type { TestCluster } from '../crash/harness/test-cluster.ts'
import { createFunction, type Depth, ingressUrls, sleepAt } from './function-cluster.ts'
import { drawPanels } from './line-chart.ts'
import type { Proof, ProofContext } from './proof.ts'

const CLIENTS = 300
const CONFIG = { concurrency: 100, maxScale: 5, idleSeconds: 5 }
const NEEDED = CLIENTS / CONFIG.concurrency
const LOAD_SECONDS = 15
const AFTER_SECONDS = CONFIG.idleSeconds + 8
const SAMPLE_MS = 100
const UP_SECONDS = 2
const DOWN_SECONDS = CONFIG.idleSeconds + 5

interface Sample {
  seconds: number
  inFlight: number
  waiting: number
  ready: number
  running: number
}

/** Containers follow a load that steps up from nothing, and down to nothing; no request fails. */
export const loadProof: Proof = {
  name: 'load',
  async run(context) {
    const subject = await createFunction(context.cluster, 'stepped', CONFIG)
    for (const depth of ['FROZEN', 'STOPPED'] as const) {
      await sleepAt(context.cluster, subject, depth)
      const stepped = await stepLoad(context.cluster, subject)
      judge(context, depth, stepped)
      const picture = join(context.folder, `functions-load-${depth.toLowerCase()}.svg`)
      await writeFile(picture, pictureOf(stepped.samples))
      context.log(`  drawn in ${picture}`)
    }
  },
}

interface Stepped {
  clients: Clients
  samples: Sample[]
  /** When the load came, and when it was gone. */
  up: number
  down: number
}

async function stepLoad(cluster: TestCluster, subject: Subject): Promise<Stepped> {
  const startedAt = performance.now()
  const secondsNow = () => (performance.now() - startedAt) / 1000
  const clients = new Clients(ingressUrls(cluster), subject.host)
  const samples: Sample[] = []
  const sampling = new AbortController()
  const sampler = sampleUntil(sampling.signal, async () => {
    samples.push({ ...(await countsOf(cluster, subject)), seconds: secondsNow(), inFlight: clients.inFlight })
  })
  await pause(1_000)
  const up = secondsNow()
  clients.start()
  await pause(LOAD_SECONDS * 1000)
  await clients.stop()
  const down = secondsNow()
  await pause(AFTER_SECONDS * 1000)
  sampling.abort()
  await sampler
  return { clients, samples, up, down }
}

function judge({ claim, log }: ProofContext, depth: Depth, { clients, samples, up, down }: Stepped): void {
  const { answered, failures, slowestMs } = clients
  claim(
    failures.length === 0,
    `${depth}: ${answered} requests answered, ${failures.length} failed, slowest ${slowestMs} ms`,
  )
  if (failures.length > 0) log(`  such as ${failures[0]}`)
  const risen = samples.find(({ seconds, ready }) => seconds >= up && ready >= NEEDED)
  const fallen = samples.find(({ seconds, running }) => seconds >= down && running === 0)
  const [rise, fall] = [(risen?.seconds ?? Infinity) - up, (fallen?.seconds ?? Infinity) - down]
  claim(
    rise <= UP_SECONDS,
    `0 → ${CLIENTS} concurrent: ${NEEDED} containers after ${rise.toFixed(1)} s (${UP_SECONDS} s allowed)`,
  )
  claim(fall <= DOWN_SECONDS, `${CLIENTS} → 0: none runs after ${fall.toFixed(1)} s (${DOWN_SECONDS} s allowed)`)
}

async function countsOf({ pool }: TestCluster, { appEnvId }: Subject) {
  const { rows } = await pool.query(
    `SELECT coalesce((SELECT sum(l.waiting) FROM request_load l JOIN ingress_session s ON s.id = l.ingress_id
        WHERE l.app_env_id = $1 AND s.reported_at > now() - interval '5 seconds'), 0)::int AS waiting,
      (SELECT count(*) FROM replica WHERE app_env_id = $1 AND state = 'READY')::int AS ready,
      (SELECT count(*) FROM replica WHERE app_env_id = $1 AND state <> 'ASLEEP')::int AS running`,
    [appEnvId],
  )
  return rows[0] as { waiting: number; ready: number; running: number }
}

async function sampleUntil(signal: AbortSignal, sample: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await sample()
    await pause(SAMPLE_MS, undefined, { signal }).catch(() => {})
  }
}

function pictureOf(samples: readonly Sample[]): string {
  const line = (name: string, color: string, value: (sample: Sample) => number) => ({
    name,
    color,
    points: samples.map((sample) => [sample.seconds, value(sample)] as const),
  })
  return drawPanels(`A function under 0 → ${CLIENTS} → 0 concurrent requests`, [
    { title: 'Requests', lines: [line('by clients', '#1565c0', ({ inFlight }) => inFlight)] },
    { title: 'Queue', lines: [line('reported', '#c62828', ({ waiting }) => waiting)] },
    {
      title: 'Containers',
      lines: [
        line('with draining', '#9e9e9e', ({ running }) => running),
        line('ready', '#2e7d32', ({ ready }) => ready),
      ],
    },
  ])
}

/** Clients that each ask again when they were answered. */
class Clients {
  inFlight = 0
  answered = 0
  slowestMs = 0
  readonly failures: string[] = []
  #isAsking = false
  #running: Promise<void>[] = []
  readonly #agent = new http.Agent({ keepAlive: true })
  readonly #urls: string[]
  readonly #host: string

  constructor(urls: string[], host: string) {
    this.#urls = urls
    this.#host = host
  }

  start(): void {
    this.#isAsking = true
    this.#running = Array.from({ length: CLIENTS }, (_, number) =>
      this.#run(this.#urls[number % this.#urls.length] ?? ''),
    )
  }

  async stop(): Promise<void> {
    this.#isAsking = false
    await Promise.all(this.#running)
    this.#agent.destroy()
  }

  async #run(url: string): Promise<void> {
    while (this.#isAsking) {
      const since = performance.now()
      this.inFlight += 1
      const status = await this.#ask(url).catch((error: Error) => error.message)
      this.inFlight -= 1
      this.slowestMs = Math.max(this.slowestMs, Math.round(performance.now() - since))
      if (status === 200) this.answered += 1
      else this.failures.push(String(status))
    }
  }

  #ask(url: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, headers: { host: this.#host } }
      const asked = http.get(new URL('/?ms=500', url), options, (response) => {
        response
          .once('error', reject)
          .once('end', () => resolve(response.statusCode))
          .resume()
      })
      asked.once('error', reject)
    })
  }
}
