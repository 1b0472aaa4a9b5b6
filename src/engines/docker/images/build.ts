import { Readable } from 'node:stream'
import type { ImageBuildOptions } from 'dockerode'
import { pack } from 'tar-stream'
import { type BuilderTraits, type ImageBuild, ImageError } from '../../images/image-builder.ts'
import type { DockerEngine } from '../connection.ts'
import { messageOf, statusOf } from '../engine-answers.ts'
import { type EngineWord, says } from '../engine-words.ts'
import { WholeLines } from '../whole-lines.ts'
import { withinDisk } from './build-disk.ts'
import { buildKitLines } from './build-kit-trace.ts'
import { withinProcesses } from './build-processes.ts'
import type { Chosen } from './choose-builder.ts'
import { cacheScope, imageLabels, stageLabels } from './image-labels.ts'
import { jsonLines } from './json-lines.ts'
import { serverOf } from './pull.ts'

const CPU_PERIOD_US = 100_000
/** An eighth of what each app has, where they compete: a build may wait, a request may not. BuildKit ignores it. */
const CPU_SHARES = 128
const IMAGE_ID = /sha256:[0-9a-f]{64}/
/** Problems of the engine that may have gone by a later attempt. */
const ENGINE_TROUBLE: readonly EngineWord[] = ['diskFull', 'diskFailed', 'endpointFailed']

export const builderTraits = ({ installationId }: DockerEngine, { kind, warning }: Chosen): BuilderTraits => ({
  isApart: kind === 'own',
  isClassic: kind === 'classic',
  warning,
  cacheScope: (appEnvId) => (kind !== 'classic' ? cacheScope(installationId, appEnvId) : null),
  namespace: installationId.slice(-8),
  stageLabels: (appEnvId) => stageLabels(installationId, appEnvId),
})

/** A program that never ends its line must not fill the memory. */
const MAX_UNFINISHED_BYTES = 64 * 1024

/** One message of the build's answer: classic lines, BuildKit's trace, a failure, or the image's id. */
interface Progress {
  stream?: string
  status?: string
  error?: string
  id?: string
  aux?: { ID?: string } | string
}

interface Building {
  engine: DockerEngine
  isBuildKit: boolean
  /** The control group under which the engine runs the steps; its own when omitted. */
  buildCgroupParent?: string | undefined
}

type Call = ImageBuildOptions & { onLine?: ImageBuild['onLine'] }

const hush = () => undefined

/** Builds in the engine's own builder, and passes on each line. The engine ends the build when the connection closes, whichever side closes it. */
export async function buildInEngine(
  { engine, isBuildKit, buildCgroupParent }: Building,
  build: ImageBuild,
  signal: AbortSignal,
): Promise<string> {
  try {
    const labels = imageLabels(engine.installationId, build)
    const common = { ...optionsOf(build), ...(buildCgroupParent ? { cgroupparent: buildCgroupParent } : {}) }
    const call = async (
      context: NodeJS.ReadableStream,
      abortSignal: AbortSignal,
      { onLine = hush, ...options }: Call,
    ) => followBuild(await engine.docker.buildImage(context, { ...common, ...options, abortSignal }), onLine)
    // Not of the build that adds the labels.
    const target = build.target === undefined ? {} : { target: build.target }
    if (isBuildKit) {
      const options = { ...target, t: build.name, labels, version: '2', onLine: build.onLine } as const
      return await call(build.context, signal, options)
    }
    // A build reaches its account's containers and no others. BuildKit has no such networks.
    const { name: networkmode } = await engine.networks.ensure(build.accountId)
    const classic = { version: '1', networkmode } as const
    const unnamed = await withinDisk(engine, build, signal, (within) =>
      withinProcesses(engine, build, within, () =>
        call(build.context, within, { ...classic, ...target, onLine: build.onLine }),
      ),
    )
    return await call(labelContext(unnamed, labels, build.dockerfile), signal, { t: build.name, ...classic })
  } catch (error) {
    const status = statusOf(error)
    if (status !== null && status < 500) throw failureOf(messageOf(error))
    throw error
  }
}

/**
 * Passed to the classic builder as an option, each label would be a step of its own, with a container that is created
 * and removed. They still come last, so that no Dockerfile can override them.
 */
function labelContext(
  imageId: string,
  labels: Readonly<Record<string, string>>,
  dockerfile: string,
): NodeJS.ReadableStream {
  const pairs = Object.entries(labels).map(([name, value]) => `${JSON.stringify(name)}=${JSON.stringify(value)}`)
  const archive = pack()
  archive.entry({ name: dockerfile }, `FROM ${imageId}\nLABEL ${pairs.join(' ')}\n`)
  archive.finalize()
  return Readable.from(archive)
}

function optionsOf(build: ImageBuild) {
  const memory = build.resources.memoryMb * 1024 * 1024
  const registries = Object.entries(build.credentials).map(([registry, login]) => [serverOf({ registry }), login])
  return {
    dockerfile: build.dockerfile,
    buildargs: { ...build.buildArgs },
    // A step's containers are removed with it, whether it succeeded or not.
    rm: true,
    forcerm: true,
    memory,
    memswap: memory,
    cpuperiod: CPU_PERIOD_US,
    cpushares: CPU_SHARES,
    cpuquota: Math.round(build.resources.cpu * CPU_PERIOD_US),
    ...(registries.length > 0 ? { registryconfig: Object.fromEntries(registries) } : {}),
  }
}

async function followBuild(answer: NodeJS.ReadableStream, onLine: ImageBuild['onLine']): Promise<string> {
  let imageId = ''
  const output = new WholeLines(MAX_UNFINISHED_BYTES, { keepsEnd: true })
  for await (const message of jsonLines<Progress>(answer)) {
    if (message.error !== undefined) throw failureOf(message.error)
    if (message.id === 'moby.buildkit.trace' && typeof message.aux === 'string') {
      for (const line of buildKitLines(message.aux)) onLine(line)
    } else if (typeof message.aux === 'object') imageId = IMAGE_ID.exec(message.aux.ID ?? '')?.[0] ?? imageId
    else if (message.stream !== undefined)
      for (const line of output.add(Buffer.from(message.stream))) if (line !== '') onLine(line)
  }
  const rest = output.end()
  if (rest !== null) onLine(rest)
  if (imageId === '') throw new Error('The container engine ended the build without an image')
  return imageId
}

const failureOf = (words: string): Error =>
  ENGINE_TROUBLE.some((trouble) => says(words, trouble))
    ? new Error(`The container engine could not build: ${words}`)
    : new ImageError('BUILD_FAILED', words)
