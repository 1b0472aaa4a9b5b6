import type { MeasuredBuild } from '../../domain/build-use.ts'
import { Failure } from '../../domain/failure.ts'
import type { RegistrySilence } from '../../domain/registry-silence.ts'
import type { Resources } from '../../domain/resources.ts'
import type { CallBounds } from '../call-bounds.ts'

export interface RegistryCredential {
  username: string
  password: string
}

export interface ResolvedImage {
  /** What containers are created from: `repository@sha256:…`, or the engine's image id (`sha256:…`). */
  pinned: string
  /** The engine's id of it (`sha256:…`). */
  imageId: string
  /** Whether the engine did not have it before, under whatever name. */
  isNew: boolean
  /** True when no registry answered and the engine's own copy was used. */
  fromCache: boolean
  /** The instructions that the image runs in every build that starts from it (ONBUILD). */
  triggers: readonly string[]
}

/** An image that the engine has already, under the wanted name. */
export interface LocalCopy {
  imageId: string
  /**
   * What the engine knows of where it came from: the registry that the name says, or its operator's hands. Unknown
   * where the engine gives every image a digest of its own.
   */
  origin: 'registry' | 'operator' | 'unknown'
  /** Whether the registry said nothing. Otherwise it answered, without giving the image. */
  isAfterSilence: boolean
}

export interface ResolveOptions extends CallBounds {
  /** Whether a copy serves the caller when the registry does not give the image. Default: none, as it may be another tenant's. */
  mayUseCopy?: (copy: LocalCopy) => Promise<boolean>
  /** Why the registry is not asked at all; null or omitted: it is. */
  unreachable?: RegistrySilence | null
}

/** One image to build, for one version of one environment. */
export interface ImageBuild {
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  operationId: string
  /** `<repository>:<tag>`, for people; containers are pinned by its id. */
  name: string
  /** A tar archive. The adapter reads it once. */
  context: NodeJS.ReadableStream
  /** Name of the Dockerfile in the archive. */
  dockerfile: string
  buildArgs: Readonly<Record<string, string>>
  /** Name of the stage that becomes the image. Absent: the last one. */
  target?: string
  /**
   * Ids of images of the engine that it may start from, by the names that the Dockerfile has for them. Given for a builder
   * apart, and for no other.
   */
  bases?: Readonly<Record<string, string>>
  /** Values that steps may mount as files, by name: they become no part of the image. For a builder apart. */
  secrets?: Readonly<Record<string, string>>
  /** Logins for base images, by registry. */
  credentials: Readonly<Record<string, RegistryCredential>>
  resources: Resources
  /** The disk space that it may use, where the engine can measure it. */
  diskMb: number
  /** The processes and threads that it may have at a time, where the engine can limit them. */
  processes: number
  /** Called with each whole line that the build prints. */
  onLine: (line: string) => void
}

export interface Built {
  imageId: string
  /** Null where the builder does not report it. */
  used: MeasuredBuild | null
}

/** An image of this engine, and the registry to push it to. */
export interface ImagePush {
  id: string
  /** `registry/repository:tag`. */
  name: string
  credential: RegistryCredential | null
}

/** An image that this installation has built. */
export interface BuiltImage {
  id: string
  appEnvId: string
  /** Null for a layer that a build left behind. */
  contentId: string | null
  createdAt: Date
}

/** An image that the engine has, of any owner. */
export interface HeldImage {
  id: string
  /** As `repository@sha256:…` in full, for every registry that gave it. */
  digests: readonly string[]
}

/** A container in which a step of a build runs, or has run. */
export interface BuildStep {
  containerId: string
  appEnvId: string
}

/** The engine's way to build: whether it understands `RUN --mount`, for authors of Dockerfiles. */
export interface BuilderTraits {
  /** It reads Dockerfiles as they are, and reaches no image of the engine but the bases that it is given. */
  isApart: boolean
  /** It is the one that older engines have, which lacks much of what Dockerfiles may say today. */
  isClassic: boolean
  /** Why it is not the builder that is wanted, in a sentence; null: it is. */
  warning: string | null
  /** Prefix for names of caches that only this environment's builds see; null if the builder has no caches. */
  cacheScope(appEnvId: string): string | null
  /** Labels for every stage of a Dockerfile, so that a build's leftovers can be found. */
  stageLabels(appEnvId: string): Record<string, string>
  /** Distinguishes the images of several installations on one engine. */
  namespace: string
}

/**
 * The port to whatever pulls, builds and stores images. Every adapter passes the suite in
 * `test/contracts/image-builder.ts`. The container runtime beside it runs its images. Every method may be repeated
 * after a crash, answers within its bounds, and throws DomainError RUNTIME_UNAVAILABLE when the engine does not answer,
 * or the signal's reason when the caller aborts. Any other Error is a problem of the engine that may have gone by a
 * later attempt.
 */
export interface ImageBuilder {
  /**
   * Pulls an image and pins it. When the registry does not give it, falls back on the engine's own copy if `mayUseCopy`
   * admits it; not where the registry refuses a login, or has an image that the engine cannot run. Never on one that was
   * built here: built images are known by their ids only, and belong to the environment that they were built for, and
   * after an answer never on one that the engine knows to be from a registry. No message quotes what
   * the registry sent. Throws ImageError IMAGE_NOT_FOUND, IMAGE_UNAUTHORIZED or IMAGE_INVALID; REGISTRY_UNREACHABLE,
   * REGISTRY_BUSY, PULL_FAILED or PULL_TIMEOUT when a later attempt may succeed.
   */
  resolveImage(image: string, credential: RegistryCredential | null, options?: ResolveOptions): Promise<ResolvedImage>

  /**
   * How it builds, for authors of Dockerfiles. May first fetch the builder's image, which it reports by `onLine`: its bounds
   * are those of a pull.
   */
  traits(options?: CallBounds & { onLine?: (line: string) => void }): Promise<BuilderTraits>

  /**
   * Builds an image. A builder apart builds one at a time for an account: the caller sees to that. The build ends when the signal fires, with everything it has started. Throws
   * ImageError BUILD_FAILED with the engine's message, or DISK_QUOTA_EXCEEDED.
   */
  build(build: ImageBuild, bounds: CallBounds): Promise<Built>

  /**
   * Gives an image a name and pushes it there. Returns the name by digest. Throws ImageError PUSH_DENIED, or PUSH_FAILED
   * when a later attempt may succeed.
   */
  pushImage(push: ImagePush, bounds?: CallBounds): Promise<string>

  /** Images and leftovers of builds, of this installation or one environment. */
  builtImages(filter?: { appEnvId?: string }, bounds?: CallBounds): Promise<BuiltImage[]>

  /** Bytes of an image's layers, unpacked; null where there is no such image. */
  imageSize(id: string, bounds?: CallBounds): Promise<number | null>

  /** Removes one of them, under all of its names. Already gone, or still in use, is fine. */
  removeImage(id: string, bounds?: CallBounds): Promise<void>

  /** Every image that has a name. */
  heldImages(bounds?: CallBounds): Promise<HeldImage[]>

  /** Removes an image that was pulled, unless a container, another image or a name given by hand needs it. */
  removePulled(id: string, bounds?: CallBounds): Promise<void>

  /**
   * The containers of builds, of this installation or one environment. Unless something is killed, they are removed
   * with their step.
   */
  buildSteps(filter?: { appEnvId?: string }, bounds?: CallBounds): Promise<BuildStep[]>

  /** Ends a step and removes its container. Already gone is fine. */
  removeBuildStep(containerId: string, bounds?: CallBounds): Promise<void>

  /** Removes the containers in which an environment's builds ran, and the layers that they left since a given time. */
  clearBuilds(reference: { appEnvId: string; since: Date }, bounds?: CallBounds): Promise<void>

  /** Removes the account's builder with its cache, where it has one of its own. No build of it may be under way. */
  removeBuilder(accountId: string, bounds?: CallBounds): Promise<void>
}

export type ImageErrorReason =
  | 'IMAGE_NOT_FOUND'
  | 'IMAGE_UNAUTHORIZED'
  | 'IMAGE_INVALID'
  | 'REGISTRY_UNREACHABLE'
  | 'REGISTRY_REFUSED'
  | 'REGISTRY_BUSY'
  | 'PULL_FAILED'
  | 'PULL_TIMEOUT'
  | 'BUILD_FAILED'
  | 'PUSH_DENIED'
  | 'PUSH_FAILED'
  | 'DISK_QUOTA_EXCEEDED'

/** The engine, or a registry, answered that it cannot be done. */
export class ImageError extends Failure<ImageErrorReason> {
  /** How long the registry asks to be left alone, if it says so. */
  readonly retryAfterSeconds: number | null
  /** The limit for which a build was ended, if it was. */
  readonly limit: 'memoryMb' | 'diskMb' | 'processes' | null

  constructor(
    reason: ImageErrorReason,
    message: string,
    { retryAfterSeconds = null, limit = null }: Partial<Pick<ImageError, 'retryAfterSeconds' | 'limit'>> = {},
  ) {
    super(reason, message)
    this.retryAfterSeconds = retryAfterSeconds
    this.limit = limit
  }

  /** A registry that is unreachable, busy or slow may recover a moment later. */
  protected override get passing(): readonly ImageErrorReason[] {
    return ['REGISTRY_UNREACHABLE', 'REGISTRY_BUSY', 'PULL_FAILED', 'PULL_TIMEOUT', 'PUSH_FAILED']
  }
}
