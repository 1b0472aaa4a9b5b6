import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { extract } from 'tar-stream'
import { readDockerfile } from '../../../src/builder/dockerfile/dockerfile-instructions.ts'
import { type ImageBuild, ImageError } from '../../../src/engines/images/image-builder.ts'
import { BuildStage } from './build-stage.ts'
import { Files } from './files.ts'
import type { MemoryImage } from './images.ts'
import { LABEL, stageLabels } from './labels.ts'
import type { MemoryMachine } from './memory-machine.ts'
import { RunningProcess } from './running-process.ts'

const BYTES_PER_MB = 1024 * 1024

interface Builder {
  machine: MemoryMachine
  installationId: string
  /** Null if there is no such image. */
  pull(name: string): MemoryImage | null
}

export const buildFailed = (message: string): ImageError => new ImageError('BUILD_FAILED', message)

/** Builds the archive's Dockerfile: FROM, ARG, ENV, LABEL, WORKDIR, COPY, RUN, CMD and ENTRYPOINT. */
export async function buildImage(builder: Builder, build: ImageBuild, signal: AbortSignal): Promise<string> {
  const { machine, installationId } = builder
  const context = await readArchive(build.context)
  const dockerfile = context.get(`/${build.dockerfile}`)?.toString('utf8')
  if (dockerfile === undefined) throw buildFailed(`There is no ${build.dockerfile} in the archive`)
  context.delete(`/${build.dockerfile}`)
  const stages: BuildStage[] = []
  const { instructions } = readDockerfile(dockerfile)
  const { target } = build
  const isNamed = ({ keyword, rest }: { keyword: string; rest: string }) =>
    keyword === 'FROM' && rest.trim().split(/\s+/)[2] === target
  if (target !== undefined && !instructions.some(isNamed)) throw buildFailed(`There is no stage ${target}`)
  try {
    for (const { keyword, rest } of instructions) {
      signal.throwIfAborted()
      build.onLine(`Step: ${keyword} ${rest}`)
      const stage = stages.at(-1)
      if (keyword === 'FROM' && stage && stage.alias === target) break
      if (keyword === 'FROM') stages.push(openStage(builder, build, stages, rest))
      else if (keyword === 'COPY') copy(stage, stages, context, rest)
      else if (keyword === 'RUN' && stage) await run(builder, build, stage, signal)(rest)
      else if (stage) stage.set(keyword, rest, build.buildArgs)
      else if (keyword !== 'ARG') throw buildFailed(`${keyword} comes before FROM`)
    }
  } catch (error) {
    // Like engines that keep their layers: the work so far is found by its labels.
    const left = stages.at(-1)?.image()
    if (left && left.config.labels[LABEL.installation] === installationId) machine.images.add(left)
    throw error
  }
  const labels = { ...stageLabels(installationId, build.appEnvId), [LABEL.content]: build.contentId }
  const image = stages.at(-1)?.image(labels)
  if (!image) throw buildFailed('The Dockerfile has no FROM')
  machine.images.add(image, build.name)
  return image.id
}

async function readArchive(archive: NodeJS.ReadableStream): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const entries = archive.pipe(extract())
  for await (const entry of entries) {
    const content = await buffer(entry)
    if (entry.header.type === 'file') files.set(posix.join('/', entry.header.name), content)
  }
  return files
}

/** `image`, or `image AS name`; an image may be an earlier stage. */
function openStage(builder: Builder, build: ImageBuild, stages: readonly BuildStage[], rest: string): BuildStage {
  const [name = '', , alias = null] = rest.trim().split(/\s+/)
  const base = stages.find((stage) => stage.alias === name)?.image() ?? builder.pull(name)
  if (!base) throw buildFailed(`There is no image ${name} to build ${build.name} from`)
  return new BuildStage(base, alias)
}

/** `[--from=stage] source… target`: a file, a folder with its contents, or all of them. */
function copy(
  stage: BuildStage | undefined,
  stages: readonly BuildStage[],
  context: ReadonlyMap<string, Buffer>,
  rest: string,
): void {
  const words = (stage?.substitute(rest) ?? rest).trim().split(/\s+/)
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
  const source = stages.find(({ alias }, index) => from === alias || from === String(index))
  if (from !== undefined && !source) throw buildFailed(`There is no stage ${from}`)
  const target = words.pop() ?? ''
  for (const word of words) stage?.copy(source?.files ?? context, word, target, words.length > 1)
}

/** Runs a program of the stage's image, without a shell, as a step that can be found and ended meanwhile. */
const run =
  ({ machine, installationId }: Builder, build: ImageBuild, stage: BuildStage, signal: AbortSignal) =>
  async (rest: string): Promise<void> => {
    const [path = '', ...args] = stage.command(rest)
    const program = stage.programs[path]
    if (!program) throw buildFailed(`There is no program ${path} in the image`)
    let unfinished = ''
    const files = new Files(stage.files)
    const process = new RunningProcess(program, {
      args,
      environment: stage.variables,
      directory: stage.directory,
      limits: { cores: build.resources.cpu, memoryBytes: build.resources.memoryMb * BYTES_PER_MB },
      files,
      port: null,
      lookUp: () => null,
      write(text) {
        const lines = (unfinished + text).split('\n')
        unfinished = lines.pop() ?? ''
        for (const line of lines) build.onLine(line)
      },
    })
    const containerId = randomBytes(32).toString('hex')
    machine.steps.set(containerId, { containerId, appEnvId: build.appEnvId, installationId, process })
    const kill = () => process.kill()
    signal.addEventListener('abort', kill, { once: true })
    const { exitCode } = await process.ended
    signal.removeEventListener('abort', kill)
    machine.steps.delete(containerId)
    if (unfinished !== '') build.onLine(unfinished)
    signal.throwIfAborted()
    if (exitCode !== 0) throw buildFailed(`${rest} returned ${exitCode}`)
    for (const [name, content] of files.written) stage.files.set(name, content)
  }
