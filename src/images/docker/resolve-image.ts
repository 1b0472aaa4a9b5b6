import type { ImageInspectInfo } from 'dockerode'
import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
  repositoryOf,
} from '../../domain/image-reference.ts'
import type { CallBounds } from '../../engine/call-bounds.ts'
import { ask, type DockerEngine } from '../../engine/docker/connection.ts'
import { statusOf } from '../../engine/docker/engine-answers.ts'
import { silence, within } from '../../engine/docker/within.ts'
import { ImageError, type ImageErrorReason, type RegistryCredential, type ResolvedImage } from '../image-builder.ts'
import { isBuiltHere } from './image-labels.ts'
import { PullFailure, type PullFailureKind, pullImage } from './pull.ts'
import { silenceOf } from './registry-silence.ts'

const IMAGE_ID = /^sha256:[0-9a-f]{64}$/

const REASONS: Record<PullFailureKind, ImageErrorReason> = {
  unknown: 'IMAGE_NOT_FOUND',
  unreachable: 'REGISTRY_UNREACHABLE',
  denied: 'IMAGE_UNAUTHORIZED',
  invalid: 'IMAGE_INVALID',
  stalled: 'PULL_TIMEOUT',
}

/**
 * A registry that was just found unreachable is not asked again for images that the engine has: finding out can take
 * long.
 */
const SILENCE_REMEMBERED_MS = 10_000

interface WantedImage {
  image: string
  reference: ImageReference
  credential: RegistryCredential | null
  /** The engine's own copy under that name. */
  copy: ImageInspectInfo | null
}

export interface PullLimits {
  /** Deadline of one pull. Default: 600. */
  pullTimeoutSeconds?: number
  /** A pull without any progress for this long is given up. Default: 60. */
  pullIdleSeconds?: number
}

export class ImageResolver {
  readonly #engine: DockerEngine
  readonly #limits: Required<PullLimits>
  readonly #silentUntilMs = new Map<string, number>()

  constructor(engine: DockerEngine, { pullTimeoutSeconds = 600, pullIdleSeconds = 60 }: PullLimits) {
    this.#engine = engine
    this.#limits = { pullTimeoutSeconds, pullIdleSeconds }
  }

  resolve(image: string, credential: RegistryCredential | null, bounds?: CallBounds): Promise<ResolvedImage> {
    const seconds = bounds?.timeoutSeconds ?? this.#limits.pullTimeoutSeconds
    let isPulling = false
    const timeUp = () =>
      isPulling
        ? new ImageError('PULL_TIMEOUT', `The image ${image} was not there after ${seconds} s`)
        : silence(this.#engine, seconds)
    const work = async (signal: AbortSignal) => {
      if (IMAGE_ID.test(image)) return this.#resolveId(image, signal)
      const parsed = parseImageReference(image)
      if ('problem' in parsed) throw new ImageError('IMAGE_INVALID', `"${image}": ${parsed.problem}`)
      const found = await findImage(this.#engine, formatImageReference(parsed.reference), signal)
      // Otherwise a tenant that guesses the name would run, or read, an image that another tenant has built.
      const copy = isBuiltHere(found?.Config.Labels) ? null : found
      if (copy && this.#isSilent(parsed.reference)) return ownCopy(copy)
      isPulling = true
      return this.#pull({ image, reference: parsed.reference, credential, copy }, signal)
    }
    return within(this.#engine, bounds, work, { seconds, timeUp })
  }

  async #pull(wanted: WantedImage, signal: AbortSignal): Promise<ResolvedImage> {
    try {
      const { reference, credential } = wanted
      const pull = { reference, credential, idleSeconds: this.#limits.pullIdleSeconds }
      await pullImage(this.#engine, pull, signal)
    } catch (error) {
      if (error instanceof PullFailure) return this.#withoutRegistry(wanted, error, signal)
      throw error
    }
    const { image, reference } = wanted
    const pulled = await findImage(this.#engine, formatImageReference(reference), signal)
    if (!pulled) throw new Error(`The image ${image} was removed from the engine while it was being pulled`)
    const digest = reference.digest ?? digestIn(pulled, reference)
    const pinned = digest === null ? pulled.Id : formatImageReference({ ...reference, digest })
    return { pinned, fromCache: false, triggers: triggersOf(pulled) }
  }

  /**
   * An image that no registry has: pinned when it was first resolved, and from then on either here or lost for good.
   */
  async #resolveId(id: string, signal: AbortSignal): Promise<ResolvedImage> {
    const found = await findImage(this.#engine, id, signal)
    if (found) return ownCopy(found)
    throw new ImageError('IMAGE_NOT_FOUND', `The engine no longer has the image ${id}`)
  }

  async #withoutRegistry(wanted: WantedImage, failure: PullFailure, signal: AbortSignal): Promise<ResolvedImage> {
    const { image, reference, copy } = wanted
    if (failure.kind === 'unreachable') {
      this.#silentUntilMs.set(reference.registry, performance.now() + SILENCE_REMEMBERED_MS)
    }
    if (failure.kind === 'stalled') {
      // Did the registry fail, or the engine?
      await within(this.#engine, { signal }, (short) => ask(this.#engine, { path: '/_ping', signal: short }))
    }
    if (copy && mayUseCopy(failure.kind, wanted, copy)) return ownCopy(copy)
    const why = failure.kind === 'unreachable' ? silenceOf(reference.registry, failure.message) : failure.message
    throw new ImageError(REASONS[failure.kind], `The image ${image} cannot be had: ${why}`)
  }

  #isSilent({ registry }: ImageReference): boolean {
    return (this.#silentUntilMs.get(registry) ?? 0) > performance.now()
  }
}

const ownCopy = (copy: ImageInspectInfo): ResolvedImage => ({
  pinned: copy.Id,
  fromCache: true,
  triggers: triggersOf(copy),
})

/** Null when there are none, although the client's types do not say so. */
const triggersOf = ({ Config }: ImageInspectInfo): string[] => (Config.OnBuild as string[] | null | undefined) ?? []

/**
 * A registry's refusal must not be bypassed with a copy that another account once pulled. But Docker Hub also refuses
 * unknown names with the same answer: then the copy is used if it cannot have come from there, because its namespace
 * holds nothing private, or because the engine knows no digest of it.
 */
function mayUseCopy(kind: PullFailureKind, { reference, credential }: WantedImage, copy: ImageInspectInfo): boolean {
  if (kind === 'invalid') return false
  if (kind !== 'denied') return true
  const isPublic = reference.registry === 'docker.io' && reference.repository.startsWith('library/')
  return credential === null && (isPublic || digestIn(copy, reference) === null)
}

/** The digest under which the engine knows the image in the reference's own repository. */
function digestIn(image: ImageInspectInfo, reference: ImageReference): string | null {
  for (const known of image.RepoDigests ?? []) {
    const parsed = parseImageReference(known)
    if ('reference' in parsed && repositoryOf(parsed.reference) === repositoryOf(reference))
      return parsed.reference.digest
  }
  return null
}

/** With the timeout of a short call, not of a pull: this also shows whether the engine is there at all. */
const findImage = (engine: DockerEngine, name: string, signal: AbortSignal): Promise<ImageInspectInfo | null> =>
  within(engine, { signal }, async (short) => {
    try {
      return (await ask(engine, { path: `/images/${name}/json`, signal: short })) as ImageInspectInfo
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  })
