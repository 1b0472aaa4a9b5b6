import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
  repositoryOf,
} from '../../../src/domain/image-reference.ts'
import {
  type BuiltImage,
  type ImageBuilder,
  ImageError,
  type ImageErrorReason,
  type ImagePush,
  type RegistryCredential,
  type ResolvedImage,
  type ResolveOptions,
} from '../../../src/engines/images/image-builder.ts'
import { call, type MemoryConnection } from './connection.ts'
import { buildImage } from './image-build.ts'
import type { MemoryImage } from './images.ts'
import { belongsTo, isBuilt, LABEL, stageLabels } from './labels.ts'
import type { RegistryRefusal } from './memory-registry.ts'

const IMAGE_ID = /^sha256:[0-9a-f]{64}$/
const PULL_SECONDS = 600

const REASONS: Record<RegistryRefusal, ImageErrorReason> = {
  denied: 'IMAGE_UNAUTHORIZED',
  unknown: 'IMAGE_NOT_FOUND',
  unreachable: 'REGISTRY_UNREACHABLE',
}

type Filter = { appEnvId?: string }

/** The image builder on a machine in memory. */
export function createMemoryImageBuilder(connection: MemoryConnection): ImageBuilder {
  const { machine, installationId } = connection
  return {
    resolveImage: (image, credential, options) =>
      call(connection, options, (signal) => resolve(connection, { image, credential, ...options }, signal), {
        seconds: options?.timeoutSeconds ?? PULL_SECONDS,
      }),
    traits: (bounds) =>
      call(connection, bounds, () => ({
        isApart: false,
        isClassic: false,
        warning: null,
        cacheScope: () => null,
        namespace: installationId.slice(-8),
        stageLabels: (appEnvId) => stageLabels(installationId, appEnvId),
      })),
    build: (build, bounds) =>
      call(connection, bounds, async (signal) => {
        const pull = (name: string) => pullBase(connection, name, build.credentials)
        return { imageId: await buildImage({ machine, installationId, pull }, build, signal), used: null }
      }),
    pushImage: (push, bounds) => call(connection, bounds, () => pushImage(connection, push)),
    builtImages: (filter = {}, bounds) => call(connection, bounds, () => builtImages(connection, filter)),
    imageSize: (id, bounds) =>
      call(connection, bounds, () => {
        const image = machine.images.find(id)
        return image ? [...image.files.values()].reduce((sum, { length }) => sum + length, 0) : null
      }),
    removeImage: (id, bounds) =>
      call(connection, bounds, () => {
        const isUsed = [...machine.containers.values()].some(({ options }) => options.image.id === id)
        if (!isUsed) machine.images.remove(id)
      }),
    heldImages: (bounds) =>
      call(connection, bounds, () =>
        machine.images.list().map(({ id }) => ({ id, digests: machine.images.digestsOf(id) })),
      ),
    removePulled: (id, bounds) =>
      call(connection, bounds, () => {
        const isUsed = [...machine.containers.values()].some(({ options }) => options.image.id === id)
        if (!isUsed) machine.images.remove(id)
      }),
    buildSteps: (filter = {}, bounds) =>
      call(connection, bounds, () =>
        steps(connection, filter).map(({ containerId, appEnvId }) => ({ containerId, appEnvId })),
      ),
    removeBuildStep: (containerId, bounds) => call(connection, bounds, () => endStep(connection, containerId)),
    removeBuilder: (_accountId, bounds) => call(connection, bounds, () => {}),
    clearBuilds: ({ appEnvId, since }, bounds) =>
      call(connection, bounds, async () => {
        await Promise.all(steps(connection, { appEnvId }).map((step) => endStep(connection, step.containerId)))
        for (const { id, contentId, createdAt } of builtImages(connection, { appEnvId })) {
          if (contentId === null && createdAt >= since) machine.images.remove(id)
        }
      }),
  }
}

interface Wanted extends ResolveOptions {
  image: string
  credential: RegistryCredential | null
}

async function resolve(
  connection: MemoryConnection,
  { image, credential, unreachable, mayUseCopy = async () => false }: Wanted,
  signal: AbortSignal,
): Promise<ResolvedImage> {
  const { machine, fault, pullIdleSeconds } = connection
  if (IMAGE_ID.test(image)) {
    const found = machine.images.find(image)
    if (found) return ownCopy(found)
    throw new ImageError('IMAGE_NOT_FOUND', `There is no image ${image} any more`)
  }
  const parsed = parseImageReference(image)
  if ('problem' in parsed) throw new ImageError('IMAGE_INVALID', `"${image}": ${parsed.problem}`)
  if (fault === 'falls silent in pulls') await pullOfSilence(image, pullIdleSeconds, signal)
  const pulled = unreachable ? 'unreachable' : pull(connection, parsed.reference, credential)
  if (typeof pulled !== 'string') {
    const pinned = formatImageReference({ ...parsed.reference, digest: pulled.digest })
    return {
      pinned,
      imageId: pulled.image.id,
      isNew: pulled.isNew,
      fromCache: false,
      triggers: pulled.image.config.triggers,
    }
  }
  const copy = machine.images.find(image)
  const isPulled = copy !== null && machine.images.hasDigest(copy, repositoryOf(parsed.reference))
  const isAfterSilence = pulled === 'unreachable'
  const mayServe = isAfterSilence || (!isPulled && pulled !== 'denied')
  // Otherwise a tenant that guesses the name would run an image built for another.
  if (copy && !isBuilt(copy) && mayServe) {
    const origin = isPulled ? 'registry' : 'operator'
    if (await mayUseCopy({ imageId: copy.id, origin, isAfterSilence })) return ownCopy(copy)
  }
  throw new ImageError(REASONS[pulled], `The image ${image} cannot be pulled: ${pulled}`)
}

/** Stores the pulled image under its tag and its digest. */
function pull({ machine }: MemoryConnection, reference: ImageReference, credential: RegistryCredential | null) {
  const registry = machine.registries.get(reference.registry)
  const pulled = registry?.pull(reference, credential) ?? 'unreachable'
  if (typeof pulled === 'string') return pulled
  const isNew = machine.images.find(pulled.image.id) === null
  machine.images.add(pulled.image, formatImageReference(reference))
  machine.images.add(pulled.image, formatImageReference({ ...reference, digest: pulled.digest }))
  return { ...pulled, isNew }
}

/** A build's base image: the machine's own, or one that the build pulls with its logins. */
function pullBase(
  connection: MemoryConnection,
  name: string,
  credentials: Readonly<Record<string, RegistryCredential>>,
): MemoryImage | null {
  const found = connection.machine.images.find(name)
  if (found) return found
  const parsed = parseImageReference(name)
  if ('problem' in parsed) return null
  const pulled = pull(connection, parsed.reference, credentials[parsed.reference.registry] ?? null)
  return typeof pulled === 'string' ? null : pulled.image
}

const pullOfSilence = (image: string, seconds: number, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const timeout = new ImageError('PULL_TIMEOUT', `The image ${image} was not there after ${seconds} s`)
    const timer = setTimeout(() => reject(timeout), seconds * 1000)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })

const ownCopy = ({ id, config }: MemoryImage): ResolvedImage => ({
  pinned: id,
  imageId: id,
  isNew: false,
  fromCache: true,
  triggers: config.triggers,
})

function pushImage({ machine }: MemoryConnection, { id, name, credential }: ImagePush): string {
  const parsed = parseImageReference(name)
  if ('problem' in parsed) throw new Error(`"${name}" is not an image name: ${parsed.problem}`)
  const image = machine.images.find(id)
  if (!image) throw new ImageError('PUSH_FAILED', `There is no image ${id}`)
  machine.images.add(image, name)
  const pushed = machine.registries.get(parsed.reference.registry)?.push(parsed.reference, image, credential)
  if (typeof pushed === 'object') {
    const byDigest = formatImageReference({ ...parsed.reference, digest: pushed.digest })
    machine.images.add(image, byDigest)
    return byDigest
  }
  const reason = pushed === 'denied' ? 'PUSH_DENIED' : 'PUSH_FAILED'
  throw new ImageError(reason, `The image ${name} cannot be pushed: ${pushed ?? 'unreachable'}`)
}

function builtImages({ machine, installationId }: MemoryConnection, { appEnvId }: Filter): BuiltImage[] {
  return machine.images
    .list()
    .filter((image) => belongsTo(image, installationId, appEnvId))
    .map(({ id, config, createdAt }) => ({
      id,
      appEnvId: config.labels[LABEL.appEnv] ?? '',
      contentId: config.labels[LABEL.content] ?? null,
      createdAt,
    }))
}

const steps = ({ machine, installationId }: MemoryConnection, { appEnvId }: Filter) =>
  [...machine.steps.values()].filter(
    (step) => step.installationId === installationId && (appEnvId === undefined || step.appEnvId === appEnvId),
  )

async function endStep({ machine }: MemoryConnection, containerId: string): Promise<void> {
  const step = machine.steps.get(containerId)
  step?.process.kill()
  await step?.process.ended
  machine.steps.delete(containerId)
}
