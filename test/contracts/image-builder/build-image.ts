import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import { labelStages } from '../../../src/builder/dockerfile/dockerfile-labels.ts'
import { familiarName } from '../../../src/domain/image-reference.ts'
import { resourcesOf } from '../../../src/domain/resources.ts'
import type { ImageBuild } from '../../../src/engines/images/image-builder.ts'
import { uniqueId, type World } from '../engine-harness.ts'

const DOCKERFILE = 'Dockerfile'
/** Of all builds: each account takes a network of the engine, which has some thirty for all tests that run beside. */
const ACCOUNT = uniqueId('acc')

interface BuildOptions extends Partial<Omit<ImageBuild, 'context' | 'dockerfile' | 'onLine'>> {
  /** By path. */
  files?: Readonly<Record<string, string>>
  /** The base image of the first stage; the harness's image when omitted. */
  from?: string
  signal?: AbortSignal
  onLine?: (line: string) => void
}

/** Builds the instructions on the harness's image, for an environment of its own unless `appEnvId` names one. */
export async function buildImage(world: World, instructions: readonly string[], options: BuildOptions = {}) {
  const { files = {}, from = world.image, signal, ...change } = options
  const { appEnvId = uniqueId('env'), onLine } = options
  const lines: string[] = []
  const { stageLabels, namespace, isApart } = await world.imageBuilder.traits()
  const dockerfile = labelStages([`FROM ${from}`, ...instructions].join('\n'), stageLabels(appEnvId))
  const contentId = uniqueId('con')
  const given = isApart ? { bases: { [familiarName(from)]: await baseId(world, from, options) } } : {}
  const build: ImageBuild = {
    accountId: ACCOUNT,
    appId: uniqueId('app'),
    operationId: uniqueId('op'),
    appEnvId,
    contentId,
    buildArgs: {},
    credentials: {},
    resources: resourcesOf({ zClouds: 1 }),
    diskMb: 1000,
    processes: 1000,
    name: `berth-${namespace}/shop:${contentId.slice(-8)}`,
    ...given,
    ...change,
    context: archive({ ...files, [DOCKERFILE]: dockerfile }),
    dockerfile: DOCKERFILE,
    onLine: (line) => {
      lines.push(line)
      onLine?.(line)
    },
  }
  const { imageId } = await world.imageBuilder.build(build, { timeoutSeconds: 60, ...(signal ? { signal } : {}) })
  return { id: imageId, lines, appEnvId, contentId, name: build.name }
}

/** What the worker resolves with the logins of an app. */
async function baseId({ imageBuilder }: World, image: string, { credentials = {} }: BuildOptions): Promise<string> {
  const credential = credentials[image.slice(0, image.indexOf('/'))] ?? null
  const { imageId } = await imageBuilder.resolveImage(image, credential, { mayUseCopy: async () => true })
  return imageId
}

/** A step that runs a program without a shell. */
export const run = ({ entrypoint, args }: { entrypoint: string[]; args: string[] }): string =>
  `RUN ${JSON.stringify([...entrypoint, ...args])}`

function archive(files: Readonly<Record<string, string>>): Readable {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) tar.entry({ name, mtime: new Date(0) }, content)
  tar.finalize()
  return Readable.from(tar)
}
