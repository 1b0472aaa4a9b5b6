import type { ImageInspectInfo } from 'dockerode'
import { formatImageReference, type ImageReference, parseImageReference } from '../../../domain/image-reference.ts'
import { REGISTRY_SILENCES } from '../../../domain/registry-silence.ts'
import {
  ImageError,
  type ImageErrorReason,
  type LocalCopy,
  type RegistryCredential,
  type ResolvedImage,
  type ResolveOptions,
} from '../../images/image-builder.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { silence, within } from '../within.ts'
import { digestOf, findImage } from './find-image.ts'
import { heldIds } from './held-images.ts'
import { isBuiltHere } from './image-labels.ts'
import { PullFailure, type PullFailureKind, pullImage } from './pull.ts'

const IMAGE_ID = /^sha256:[0-9a-f]{64}$/

const REASONS: Record<PullFailureKind, ImageErrorReason> = {
  unknown: 'IMAGE_NOT_FOUND',
  unreachable: 'REGISTRY_UNREACHABLE',
  limited: 'REGISTRY_BUSY',
  denied: 'IMAGE_UNAUTHORIZED',
  invalid: 'IMAGE_INVALID',
  failed: 'PULL_FAILED',
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
  mayUseCopy: NonNullable<ResolveOptions['mayUseCopy']>
}

const none = async (): Promise<boolean> => false

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

  resolve(
    image: string,
    credential: RegistryCredential | null,
    { mayUseCopy = none, unreachable = null, ...bounds }: ResolveOptions = {},
  ): Promise<ResolvedImage> {
    const seconds = bounds.timeoutSeconds ?? this.#limits.pullTimeoutSeconds
    let isPulling = false
    const timeUp = () =>
      isPulling
        ? new ImageError('PULL_TIMEOUT', `The image ${image} was not there after ${seconds} s`)
        : silence(this.#engine, seconds)
    const work = async (signal: AbortSignal) => {
      if (IMAGE_ID.test(image)) return this.#resolveId(image, signal)
      const parsed = parseImageReference(image)
      if ('problem' in parsed) throw new ImageError('IMAGE_INVALID', `"${image}": ${parsed.problem}`)
      const { reference } = parsed
      const found = await findImage(this.#engine, formatImageReference(reference), signal)
      // Otherwise a tenant that guesses the name would run, or read, an image that another tenant has built.
      const copy = isBuiltHere(found?.Config.Labels) ? null : found
      const wanted = { image, reference, credential, copy, mayUseCopy }
      const silence = unreachable ?? (copy && this.#isSilent(reference) ? 'mute' : null)
      if (silence !== null) {
        return this.#withoutRegistry(wanted, new PullFailure('unreachable', 'It was not asked', silence), signal)
      }
      isPulling = true
      return this.#pull(wanted, signal)
    }
    return within(this.#engine, bounds, work, { seconds, timeUp })
  }

  async #pull(wanted: WantedImage, signal: AbortSignal): Promise<ResolvedImage> {
    const before = await heldIds(this.#engine, signal)
    try {
      const { reference, credential } = wanted
      const pull = { reference, credential, idleSeconds: this.#limits.pullIdleSeconds }
      await pullImage(this.#engine, pull, signal)
    } catch (error) {
      if (!(error instanceof PullFailure)) throw error
      const { registry } = wanted.reference
      if (error.kind === 'unreachable') this.#silentUntilMs.set(registry, performance.now() + SILENCE_REMEMBERED_MS)
      return this.#withoutRegistry(wanted, error, signal)
    }
    const { image, reference } = wanted
    const pulled = await findImage(this.#engine, formatImageReference(reference), signal)
    if (!pulled) throw new Error(`The image ${image} was removed from the engine while it was being pulled`)
    const digest = reference.digest ?? digestOf(pulled, reference)
    const pinned = digest === null ? pulled.Id : formatImageReference({ ...reference, digest })
    const isNew = !before.has(pulled.Id)
    return { pinned, imageId: pulled.Id, isNew, fromCache: false, triggers: triggersOf(pulled) }
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
    const { copy } = wanted
    if (failure.kind === 'stalled') {
      // Did the registry fail, or the engine?
      await within(this.#engine, { signal }, (short) => ask(this.#engine, { path: '/_ping', signal: short }))
    }
    if (copy && (await mayUse(copy, failure.kind, wanted))) return ownCopy(copy)
    const refusal = new ImageError(REASONS[failure.kind], messageFor(failure, wanted))
    refusal.cause = failure
    throw refusal
  }

  #isSilent({ registry }: ImageReference): boolean {
    return (this.#silentUntilMs.get(registry) ?? 0) > performance.now()
  }
}

const ownCopy = (copy: ImageInspectInfo): ResolvedImage => ({
  pinned: copy.Id,
  imageId: copy.Id,
  isNew: false,
  fromCache: true,
  triggers: triggersOf(copy),
})

/** Null when there are none, although the client's types do not say so. */
const triggersOf = ({ Config }: ImageInspectInfo): string[] => (Config.OnBuild as string[] | null | undefined) ?? []

/**
 * A registry's answer must not be bypassed with a copy that was once pulled: only silence lets such a copy serve,
 * and then only whom `mayUseCopy` admits. Docker Hub refuses names that it does not know, so a copy of the operator's
 * serves after a refusal too, unless a login was refused.
 */
async function mayUse(copy: ImageInspectInfo, kind: PullFailureKind, wanted: WantedImage): Promise<boolean> {
  const { reference, credential, mayUseCopy } = wanted
  if (kind === 'invalid' || (kind === 'denied' && credential !== null)) return false
  const isAfterSilence = kind === 'unreachable' || kind === 'stalled'
  const origin = originOf(copy, reference)
  if (origin === 'registry' && !isAfterSilence) return false
  return mayUseCopy({ imageId: copy.Id, origin, isAfterSilence })
}

/**
 * An engine's own store knows a digest under a name only from the registry of that name. In containerd's store an image's
 * id is such a digest, however it came there.
 */
function originOf(copy: ImageInspectInfo, reference: ImageReference): LocalCopy['origin'] {
  const digest = digestOf(copy, reference)
  if (digest === null) return 'operator'
  return digest === copy.Id ? 'unknown' : 'registry'
}

/** In words of our own: the engine's message quotes what the registry sent, from wherever that came. */
function messageFor(failure: PullFailure, wanted: WantedImage): string {
  const { image, reference } = wanted
  if (failure.kind === 'unknown') return `${image} was not found in the registry ${reference.registry}`
  return `The image ${image} cannot be had: ${meaningOf(failure, failure.kind, wanted)}`
}

function meaningOf(
  { message, silence }: PullFailure,
  kind: Exclude<PullFailureKind, 'unknown'>,
  { reference: { registry }, credential }: WantedImage,
): string {
  if (kind === 'unreachable') return `the registry ${registry} cannot be reached: ${REGISTRY_SILENCES[silence]}`
  if (kind === 'stalled') return message
  if (kind === 'denied')
    return credential
      ? `the registry ${registry} refuses it with the given login`
      : `the registry ${registry} refuses it without a login: it does not exist there, or is private`
  const meanings = {
    invalid: 'has no image of that name that this machine can run',
    limited: 'limits how often images are pulled',
    failed: 'answered in a way that the engine cannot use',
  }
  return `the registry ${registry} ${meanings[kind]}`
}
