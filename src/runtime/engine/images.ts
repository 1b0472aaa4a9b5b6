import type { ImageInspectInfo } from 'dockerode'
import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
  repositoryOf,
} from '../../domain/image-reference.ts'
import { type RegistryCredential, type ResolvedImage, RuntimeError, type RuntimeErrorReason } from '../runtime.ts'
import { statusOf } from './answers.ts'
import { ask, type Engine } from './connection.ts'
import { PullFailure, type PullFailureKind, pullImage } from './pull.ts'
import { within } from './within.ts'

const IMAGE_ID = /^sha256:[0-9a-f]{64}$/

const REASONS: Record<PullFailureKind, RuntimeErrorReason> = {
  unknown: 'IMAGE_NOT_FOUND',
  unreachable: 'IMAGE_NOT_FOUND',
  denied: 'IMAGE_UNAUTHORIZED',
  invalid: 'IMAGE_INVALID',
  stalled: 'PULL_TIMEOUT',
}

/** A registry that was just found unreachable is not asked again for images the engine has: finding out can take long. */
const SILENCE_REMEMBERED_MS = 10_000

export class EngineImages {
  readonly #engine: Engine
  readonly #silentUntilMs = new Map<string, number>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async resolve(image: string, credential: RegistryCredential | null, signal: AbortSignal): Promise<ResolvedImage> {
    if (IMAGE_ID.test(image)) return this.#resolveId(image, signal)
    const parsed = parseImageReference(image)
    if ('problem' in parsed) throw new RuntimeError('IMAGE_INVALID', `"${image}": ${parsed.problem}`)
    const { reference } = parsed
    // Also shows in the time of a short call, not of a pull, that the engine is there at all.
    const copy = await within(this.#engine, { signal }, (short) => findImage(this.#engine, image, short))
    if (copy && this.#isSilent(reference)) return { pinned: copy.Id, fromCache: true }
    try {
      await pullImage(this.#engine, reference, credential, signal)
    } catch (error) {
      if (!(error instanceof PullFailure)) throw error
      return this.#withoutRegistry(image, reference, credential, copy, error, signal)
    }
    return this.#pinPulled(image, reference, signal)
  }

  /** An image that no registry vouches for: pinned when it was first resolved, and still here or lost for good. */
  async #resolveId(id: string, signal: AbortSignal): Promise<ResolvedImage> {
    if (await findImage(this.#engine, id, signal)) return { pinned: id, fromCache: true }
    throw new RuntimeError('IMAGE_NOT_FOUND', `The engine no longer has the image ${id}`)
  }

  async #pinPulled(image: string, reference: ImageReference, signal: AbortSignal): Promise<ResolvedImage> {
    const pulled = await findImage(this.#engine, image, signal)
    if (!pulled) throw new Error(`The image ${image} was removed from the engine while it was being pulled`)
    const digest = reference.digest ?? digestIn(pulled, reference)
    const pinned = digest === null ? pulled.Id : formatImageReference({ ...reference, digest })
    return { pinned, fromCache: false }
  }

  async #withoutRegistry(
    image: string,
    reference: ImageReference,
    credential: RegistryCredential | null,
    copy: ImageInspectInfo | null,
    failure: PullFailure,
    signal: AbortSignal,
  ): Promise<ResolvedImage> {
    if (failure.kind === 'unreachable') {
      this.#silentUntilMs.set(reference.registry, Date.now() + SILENCE_REMEMBERED_MS)
    }
    if (failure.kind === 'stalled') {
      // Was it the registry, or the engine?
      await within(this.#engine, { signal }, (short) => ask(this.#engine, { path: '/_ping', signal: short }))
    }
    if (copy && mayUseCopy(failure.kind, reference, credential, copy)) return { pinned: copy.Id, fromCache: true }
    throw new RuntimeError(REASONS[failure.kind], `The image ${image} cannot be had: ${failure.message}`)
  }

  #isSilent({ registry }: ImageReference): boolean {
    return (this.#silentUntilMs.get(registry) ?? 0) > Date.now()
  }
}

/**
 * A registry that refuses must not be got round by means of what another account once pulled. But Docker Hub refuses
 * names that it does not know just the same: then the copy is used if it cannot have come from there, because its
 * namespace holds nothing private, or because the engine knows no digest of it.
 */
function mayUseCopy(
  kind: PullFailureKind,
  reference: ImageReference,
  credential: RegistryCredential | null,
  copy: ImageInspectInfo,
): boolean {
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

async function findImage(engine: Engine, name: string, signal: AbortSignal): Promise<ImageInspectInfo | null> {
  try {
    return (await ask(engine, { path: `/images/${name}/json`, signal })) as ImageInspectInfo
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
}
