import type { Engine } from '../../../src/app-types/engines/engine.ts'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import { CLIENTS } from '../engine-clients.ts'
import { MountedVolumes } from './mounted-volumes.ts'
import { ServiceStory } from './service-story.ts'
import type { Step, Surroundings } from './step.ts'
import { STEPS } from './steps.ts'

/** Of one step of one engine. */
export interface Result {
  engine: string
  step: string
  outcome: 'holds' | 'fails' | 'skipped'
  /** Why it fails, or is skipped. */
  words: string
  seconds: number
}

/** What stories share: an account of somebody else, and eyes on every volume. */
export class ServiceMatrix implements AsyncDisposable {
  readonly #cluster: TestCluster
  readonly #volumes: MountedVolumes
  readonly #stories = new Map<string, ServiceStory>()
  readonly surroundings: Surroundings

  static async open(cluster: TestCluster, { cycles }: { cycles: number }): Promise<ServiceMatrix> {
    const volumes = await MountedVolumes.watch(cluster.docker, cluster.installationId)
    const redis = findEngine('REDIS')
    if (!redis) throw new Error('There is no Redis')
    // The stranger needs a network of its own, and the smallest service gives it one.
    const stranger = await new ServiceStory(cluster, redis, clientOf(redis)).open('A stranger')
    await stranger.createService({ withPersistence: false })
    const leftOf = (accountId: string) => volumes.leftOf(accountId)
    return new ServiceMatrix(cluster, volumes, { strangerId: stranger.accountId, cycles, leftOf })
  }

  private constructor(cluster: TestCluster, volumes: MountedVolumes, surroundings: Surroundings) {
    this.#cluster = cluster
    this.#volumes = volumes
    this.surroundings = surroundings
  }

  async run(engine: Engine, step: Step): Promise<void> {
    const story = await this.storyOf(engine)
    await step.run(story, this.surroundings)
  }

  async storyOf(engine: Engine): Promise<ServiceStory> {
    const story = this.#stories.get(engine.name)
    if (story) return story
    const opened = await new ServiceStory(this.#cluster, engine, clientOf(engine)).open()
    this.#stories.set(engine.name, opened)
    return opened
  }

  /** Every step of one engine; a step that fails does not keep the others from being tried. */
  async runAll(engine: Engine, log: (line: string) => void, steps = STEPS): Promise<Result[]> {
    const story = await this.storyOf(engine)
    const results: Result[] = []
    for (const step of steps) {
      const since = performance.now()
      const skipped = step.isSkipped?.(story) ?? null
      const failure = skipped
        ? null
        : await this.run(engine, step).then(
            () => null,
            (error: Error) => error.message,
          )
      const outcome = skipped ? 'skipped' : failure === null ? 'holds' : 'fails'
      const seconds = (performance.now() - since) / 1000
      const result: Result = { engine: engine.name, step: step.name, outcome, words: skipped ?? failure ?? '', seconds }
      results.push(result)
      const mark = MARKS[outcome]
      log(`${mark} ${engine.title}: ${step.name} (${seconds.toFixed(1)} s)${result.words ? `: ${result.words}` : ''}`)
    }
    return results
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const story of this.#stories.values()) await story.close()
    this.#volumes[Symbol.dispose]()
  }
}

function clientOf(engine: Engine) {
  const client = CLIENTS[engine.name]
  if (!client) throw new Error(`${engine.title} has no client in engine-clients.ts`)
  return client
}

const MARKS = { holds: '✓', fails: '✗', skipped: '–' } as const

/** Steps by engines, and how many hold. */
export function tableOf(results: readonly Result[]): string {
  const engines = [...new Set(results.map(({ engine }) => engine))]
  const steps = [...new Set(results.map(({ step }) => step))]
  const width = Math.max(...steps.map(({ length }) => length))
  const lines = steps.map((step) => {
    const marks = engines.map((engine) => {
      const found = results.find((one) => one.engine === engine && one.step === step)
      return (found ? MARKS[found.outcome] : ' ').padStart(Math.ceil(engine.length / 2)).padEnd(engine.length)
    })
    return `${step.padEnd(width)}  ${marks.join('  ')}`
  })
  const count = (outcome: Result['outcome']) => results.filter((one) => one.outcome === outcome).length
  const tried = results.length - count('skipped')
  return [
    `${''.padEnd(width)}  ${engines.join('  ')}`,
    ...lines,
    `${engines.length} engines × ${steps.length} steps: ${count('holds')} of ${tried} hold, ${count('skipped')} do not apply.`,
  ].join('\n')
}
