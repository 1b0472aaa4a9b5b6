import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import { type Built, type ImageBuild, ImageError } from '../../../images/image-builder.ts'
import type { DockerEngine } from '../../connection.ts'
import { says } from '../../engine-words.ts'
import { listBuilt } from '../built-images.ts'
import { imageLabels } from '../image-labels.ts'
import { BASES_FOLDER, baseArguments, type GivenImage, giveBase, givenBase, hashOf } from './bases.ts'
import { BUILD, CLEAN_UP, cacheBytesIn, PREPARE } from './build-scripts.ts'
import { readFromBuilder, runInBuilder } from './builder-command.ts'
import {
  type BuilderSettings,
  builderName,
  EXPORTS_FOLDER,
  ensureBuilder,
  isSameRun,
  killBuilder,
  type ProvideImage,
  type RunningBuilder,
  removeBuilder,
  restartUnlessBuilding,
  SECRETS_FOLDER,
} from './builder-container.ts'
import { LimitsWatch, usedUp } from './limits-watch.ts'
import { BuildProgress } from './progress.ts'
import { readExport, takeImage } from './take-image.ts'

const CLEAN_UP_SECONDS = 15
const KNOWN_IMAGES = 10
/** Of an account. Each takes as much as its image. */
const EXPORTS_KEPT = 5
/** Who ends a build's own processes so is the kernel. */
const SIGKILL = /exit code: 137\b/

export interface OwnBuilderOptions {
  engine: DockerEngine
  settings: BuilderSettings
  provideImage: ProvideImage
}

/** By the builder's name. A build that is given up is answered for at once, and cleaned up after. */
const cleaning = new Map<string, Promise<void>>()

/** One at a time for an account: its builder's limits, and what it exports, are for all that it builds. */
export async function buildInOwnBuilder(
  options: OwnBuilderOptions,
  build: ImageBuild,
  signal: AbortSignal,
): Promise<Built> {
  const name = builderName(options.engine.installationId, build.accountId)
  await cleaning.get(name)
  const building = new OwnBuild(options, build, signal)
  try {
    return await building.run()
  } finally {
    const cleaned = building.cleanUp().finally(() => {
      if (cleaning.get(name) === cleaned) cleaning.delete(name)
    })
    cleaning.set(name, cleaned)
    await cleaned
  }
}

/** One build in its account's builder. */
class OwnBuild {
  readonly #options: OwnBuilderOptions
  readonly #build: ImageBuild
  readonly #signal: AbortSignal
  readonly #folder: string
  readonly #secrets: string
  readonly #export: string
  #builder: RunningBuilder | null = null
  #isBrokenOff = false
  #isWedged = false
  #isCleared = false

  constructor(options: OwnBuilderOptions, build: ImageBuild, signal: AbortSignal) {
    this.#options = options
    this.#build = build
    this.#signal = signal
    // An attempt whose worker was killed may still be ending.
    const attempt = `${build.operationId}-${randomUUID().slice(0, 8)}`
    this.#folder = `/home/user/builds/${attempt}`
    this.#secrets = `${SECRETS_FOLDER}/${attempt}`
    this.#export = `${EXPORTS_FOLDER}/${build.appEnvId}`
  }

  async run(): Promise<Built> {
    this.#signal.throwIfAborted()
    const { engine } = this.#options
    const { accountId, resources, processes, name, appEnvId, onLine } = this.#build
    const limits = { accountId, resources, processes, onLine }
    this.#builder = await ensureBuilder({ ...this.#options, ...limits }, this.#signal)
    const { id } = this.#builder
    const { sentBytes, bases } = await this.#prepare(id)
    const { progress, watch } = await this.#solve(id, bases)
    const earlier = await listBuilt(engine, { appEnvId }, this.#signal)
    const known = [
      ...earlier.slice(0, KNOWN_IMAGES).map((image) => image.id),
      ...Object.values(this.#build.bases ?? {}),
    ]
    const exported = readExport(progress.report, name)
    const source = { builder: id, folder: this.#export, known }
    // What is cleared away meanwhile is nothing of this image.
    const [imageId, cacheBytes] = await Promise.all([
      takeImage(engine, exported, source, this.#signal),
      this.#clear(id, exported.blobs),
    ])
    const { writtenBytes, cpuSeconds, memoryBytes } = progress.report
    const memoryPeakBytes = Math.max(watch.memoryPeakBytes, memoryBytes)
    return {
      imageId,
      used: { memoryPeakBytes, cpuSeconds, writtenBytes, sentBytes, cacheBytes, steps: progress.steps },
    }
  }

  /** What it leaves goes when the builder starts the next time. */
  async cleanUp(): Promise<void> {
    if (!this.#builder) return
    const { engine } = this.#options
    const { accountId } = this.#build
    const signal = AbortSignal.timeout(CLEAN_UP_SECONDS * 1000)
    const attempt = (work: Promise<unknown>) => work.catch(() => {})
    if (this.#isWedged) return void (await attempt(removeBuilder(engine, accountId, { keepsCache: false }, signal)))
    if (!this.#isCleared) await this.#clear(this.#builder.id)
    // What steps that were broken off have written stays in use until the daemon starts again.
    if (this.#isBrokenOff || this.#signal.aborted) await attempt(restartUnlessBuilding(engine, accountId, signal))
  }

  /**
   * Removes what the build has written beside the cache, but for the blobs of its image. Not under the build's signal, and
   * never rejects. Returns how many bytes the cache has, if anything was built; 0 where that cannot be known.
   */
  async #clear(builder: string, blobs: readonly string[] = []): Promise<number> {
    this.#isCleared = true
    const command = ['sh', '-c', CLEAN_UP, 'sh', this.#folder, this.#secrets, this.#export, `${EXPORTS_KEPT}`, ...blobs]
    const signal = AbortSignal.timeout(CLEAN_UP_SECONDS * 1000)
    const printed = await readFromBuilder(this.#options.engine, builder, command, signal).catch(() => '')
    return cacheBytesIn(printed)
  }

  /** Has the builder receive all that the build needs. */
  async #prepare(id: string): Promise<{ sentBytes: number; bases: string[] }> {
    const { engine } = this.#options
    const { bases = {}, dockerfile, context, secrets = {} } = this.#build
    const hashes = Object.values(bases).map(hashOf)
    const command = ['sh', '-c', PREPARE, 'sh', this.#folder, dockerfile, BASES_FOLDER, ...hashes]
    const counted = countBytes(context as AsyncIterable<Uint8Array>)
    const output: Buffer[] = []
    const streams = { input: counted.chunks, output: (chunk: Uint8Array) => void output.push(Buffer.from(chunk)) }
    const { exitCode, errorOutput } = await runInBuilder(engine, id, command, streams, this.#signal)
    if (exitCode !== 0) throw failureOf(`The source cannot be unpacked: ${errorOutput.trim()}`)
    await this.#giveSecrets(id, secrets)
    const lines = Buffer.concat(output).toString().split('\n')
    const there = new Map(lines.map((line) => line.split(' ') as [string, string]))
    const given: string[] = []
    for (const [name, imageId] of Object.entries(bases))
      given.push(...baseArguments(await this.#give(id, imageId, there.get(hashOf(imageId))), name))
    return { sentBytes: counted.bytes(), bases: given }
  }

  async #give(id: string, imageId: string, digest = ''): Promise<GivenImage> {
    if (digest !== '') return givenBase(hashOf(imageId), digest)
    this.#build.onLine('Giving the base image to the builder')
    return await giveBase(this.#options.engine, id, imageId, this.#signal)
  }

  /** As files in memory, one for each. */
  async #giveSecrets(id: string, secrets: Readonly<Record<string, string>>): Promise<void> {
    if (Object.keys(secrets).length === 0) return
    const archive = pack()
    for (const [name, value] of Object.entries(secrets)) archive.entry({ name, mode: 0o600 }, value)
    archive.finalize()
    const command = ['sh', '-c', 'mkdir -p "$1" && tar x -C "$1"', 'sh', this.#secrets]
    const input = Readable.from(archive)
    const { exitCode } = await runInBuilder(this.#options.engine, id, command, { input }, this.#signal)
    if (exitCode !== 0) throw new ImageError('BUILD_FAILED', 'The secret variables of the build are too large')
  }

  /** Throws ImageError; another error where the builder failed, not the build. */
  async #solve(id: string, bases: readonly string[]): Promise<{ progress: BuildProgress; watch: LimitsWatch }> {
    const { engine } = this.#options
    const { diskMb, onLine } = this.#build
    const progress = new BuildProgress(onLine)
    const watch = new LimitsWatch(this.#build)
    const exceeded = new AbortController()
    const watching = watch.run(engine, id, () => {
      exceeded.abort()
      this.#isBrokenOff = true
    })
    const layouts = Object.values(this.#build.bases ?? {}).map((imageId) => `${BASES_FOLDER}/${hashOf(imageId)}`)
    const places = [this.#folder, this.#export, this.#build.name, layouts.join(' ')]
    const command = ['sh', '-c', BUILD, 'sh', `${diskMb * 1024}`, ...places, ...this.#arguments(bases)]
    const both = AbortSignal.any([this.#signal, exceeded.signal])
    const waiting = { input: forever(both), output: (chunk: Uint8Array) => progress.add(chunk) }
    let exitCode: number
    try {
      ;({ exitCode } = await runInBuilder(engine, id, command, waiting, both))
    } catch (error) {
      if (watch.exceeded === null) throw error
      await killBuilder(engine, id, this.#signal)
      throw usedUp(watch.exceeded, 'The build was ended, as it was', this.#build)
    } finally {
      progress.end()
      watch.stop()
      await watching
    }
    if (exitCode !== 0) await this.#fail(progress)
    return { progress, watch }
  }

  #arguments(bases: readonly string[]): string[] {
    const { buildArgs, target, secrets = {} } = this.#build
    const labels = imageLabels(this.#options.engine.installationId, this.#build)
    const folder = this.#folder
    return [
      'build',
      '--progress=rawjson',
      '--frontend',
      'dockerfile.v0',
      '--local',
      `context=${folder}/context`,
      '--local',
      `dockerfile=${folder}/dockerfile`,
      // "host" is the builder's own namespace, which is the account's network: any other would have other name servers.
      '--allow',
      'network.host',
      '--opt',
      'force-network-mode=host',
      ...(target === undefined ? [] : ['--opt', `target=${target}`]),
      ...options('build-arg', buildArgs),
      ...options('label', labels),
      ...Object.keys(secrets).flatMap((secret) => ['--secret', `id=${secret},src=${this.#secrets}/${secret}`]),
      ...bases,
    ]
  }

  async #fail({ report, words }: BuildProgress): Promise<never> {
    const { diskMb } = this.#build
    if (report.isTooLarge) {
      this.#isBrokenOff = true
      throw new ImageError('DISK_QUOTA_EXCEEDED', `The build has written more than ${diskMb} MB`, { limit: 'diskMb' })
    }
    const reason = reasonIn(words)
    // No build can go on with this cache.
    if (says(reason, 'builderFull')) {
      this.#isWedged = true
      throw new Error(`The builder could not build: ${reason}`)
    }
    // Of the daemon as well, which would then be killed again.
    if (report.hasKilled) throw usedUp('memoryMb', `${reason}:`, this.#build)
    // Another worker's build may have ended it.
    if (this.#builder && !(await isSameRun(this.#options.engine, this.#builder, this.#signal)))
      throw new Error(`The account’s builder ended during the build: ${reason}`)
    if (says(reason, 'builderAway')) throw new Error(`The builder ended during the build: ${reason}`)
    if (SIGKILL.test(reason)) throw usedUp('memoryMb', `${reason}, probably`, this.#build)
    throw report.wasRefusedProcesses
      ? usedUp('processes', `${reason}, probably`, this.#build)
      : new ImageError('BUILD_FAILED', reason)
  }
}

const options = (kind: 'build-arg' | 'label', values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => ['--opt', `${kind}:${name}=${value}`])

function countBytes(source: AsyncIterable<Uint8Array>) {
  let count = 0
  async function* chunks() {
    for await (const chunk of source) {
      count += chunk.length
      yield chunk
    }
  }
  return { chunks: chunks(), bytes: () => count }
}

/** An input that says nothing until the build ends or is given up. */
async function* forever(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** The last words are the reason; those before quote the Dockerfile at the place. */
function reasonIn(words: readonly string[]): string {
  const said = words.findLast((line) => line.startsWith('error: ')) ?? words.at(-1) ?? 'the builder says nothing'
  const reason = said
    .replace(/^error: (failed to solve: |failed to run Build function: |failed to compute cache key: )*/, '')
    .replaceAll(/ of ref \S+::\S+:/g, ':')
  const place = words.map((line) => /^Dockerfile:(\d+)$/.exec(line)?.[1]).find(Boolean)
  return place ? `line ${place} of the Dockerfile: ${reason}` : reason
}

const failureOf = (words: string): Error =>
  says(words, 'builderFull')
    ? new Error(`The builder could not build: ${words}`)
    : new ImageError('BUILD_FAILED', words)
