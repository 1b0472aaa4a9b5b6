import { Failure } from '../domain/failure.ts'
import type { Resources } from '../domain/resources.ts'

/** Bounds one call to the engine: it ends when the signal fires or the time is up, whichever is first. */
export interface CallBounds {
  signal?: AbortSignal
  timeoutSeconds?: number
}

export interface RuntimeInfo {
  name: string
  version: string
  apiVersion: string
}

export interface RegistryCredential {
  username: string
  password: string
}

export interface ResolvedImage {
  /** What containers are created from: `repository@sha256:…`, or the engine's image id (`sha256:…`). */
  pinned: string
  /** True when no registry answered and the engine's own copy was taken. */
  fromCache: boolean
  /** What the image does to every build that starts from it (ONBUILD). */
  triggers: readonly string[]
}

/** The containers of one version of one environment, as they should be. */
export interface Rollout {
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  /** The operation that brought the rollout about; its id tells rollouts of one environment apart. */
  rolloutId: string
  /** Fencing token of the worker that applies it, kept as a label. */
  generation: number
  requestId: string
  version: number
  /** Readable part of container names, `<account>-<app>-<env>`. */
  cliEnvName: string
  pinnedImage: string
  /** Null keeps the image's own. */
  command: { entrypoint: string[]; args: string[] } | null
  workingDir: string | null
  environment: Record<string, string>
  /** Data that outlives the containers; made when it is not there yet. */
  volume: { id: string; path: string } | null
  /** Null: nothing listens (a job). */
  port: number | null
  replicas: number
  resources: Resources
}

export type ReplicaPhase = 'created' | 'running' | 'restarting' | 'paused' | 'exited' | 'dead'

/** One container of ours, as the engine reports it. */
export interface ObservedReplica {
  name: string
  containerId: string
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  rolloutId: string
  generation: number
  index: number
  phase: ReplicaPhase
  /** Where the ingress and the probes reach it; null unless running. */
  address: string | null
  port: number | null
  startedAt: Date | null
  finishedAt: Date | null
  exitCode: number | null
  outOfMemory: boolean
  restartCount: number
}

export interface LogLine {
  timestamp: Date
  /** The same, since 1970 and as exact as the engine has it: a place in the output to go on from. */
  nanoseconds: bigint
  stream: 'stdout' | 'stderr'
  message: string
}

export interface ReplicaStats {
  cpuMillicores: number
  memoryMb: number
}

/** How a container ended. */
export interface ContainerEnd {
  containerId: string
  exitCode: number | null
  outOfMemory: boolean
  at: Date
}

export interface RolloutReference {
  appEnvId: string
  /** Omitted: every rollout of the environment. */
  rolloutId?: string
  /** Omitted: every replica. */
  index?: number
}

export interface RemovalOptions {
  graceSeconds: number
  /** Called for each container that has ended, while its output can still be read. A failure keeps the container. */
  beforeRemoval?: (containerId: string) => Promise<void>
}

export interface LogOptions {
  tail?: number
  /** Nanoseconds since 1970: lines of that very nanosecond are included. */
  since?: bigint
  follow?: boolean
}

/** One image to be built, for one version of one environment. */
export interface ImageBuild {
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  operationId: string
  /** `<repository>:<tag>`, by which people find it; what runs is pinned by its id. */
  name: string
  /** A tar archive. The adapter reads it once. */
  context: NodeJS.ReadableStream
  /** Name of the Dockerfile in the archive. */
  dockerfile: string
  buildArgs: Readonly<Record<string, string>>
  /** Logins for base images, by registry. */
  credentials: Readonly<Record<string, RegistryCredential>>
  resources: Resources
  /** What it may write on its way, where the engine lets that be seen. */
  diskMb: number
  /** Called with each whole line that the build prints. */
  onLine: (line: string) => void
}

/** An image of this engine, and where it is to be kept besides. */
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
  sizeBytes: number
  createdAt: Date
}

/** A container in which a step of a build runs, or has run. */
export interface BuildStep {
  containerId: string
  appEnvId: string
}

/** How the engine builds: whether `RUN --mount` is understood, for those who write a Dockerfile for it. */
export interface BuilderTraits {
  /** Begins the names of caches that only this environment's builds see; null where the builder keeps none. */
  cacheScope(appEnvId: string): string | null
  /** To be put on every stage of a Dockerfile, so that what a build leaves behind can be found. */
  stageLabels(appEnvId: string): Record<string, string>
  /** Tells the images of several installations on one engine apart. */
  namespace: string
}

/**
 * The port to whatever runs containers. Two adapters are foreseen, Docker Engine and Docker Swarm;
 * `test/contracts/runtime.ts` is the behaviour both are held to. Every method may be repeated after a
 * crash, answers within its bounds, and throws DomainError RUNTIME_UNAVAILABLE when the engine does not answer, or the
 * signal's reason when the caller aborts. Any other Error is the engine's own trouble, which a later attempt may not meet.
 */
export interface Runtime {
  info(bounds?: CallBounds): Promise<RuntimeInfo>

  /**
   * Pulls an image and pins it. Falls back on the engine's own copy when no registry answers or knows it, unless it was
   * built here: those are told by their ids, and belong to the environment that they were built for.
   * Throws RuntimeError IMAGE_NOT_FOUND, IMAGE_UNAUTHORIZED or IMAGE_INVALID; REGISTRY_UNREACHABLE or PULL_TIMEOUT
   * when a later attempt may succeed.
   */
  resolveImage(image: string, credential: RegistryCredential | null, bounds?: CallBounds): Promise<ResolvedImage>

  /**
   * Brings the rollout's containers about: creates those missing of 0…replicas-1, starts those that have
   * stopped, leaves running ones alone, removes those beyond. Does not wait for readiness.
   * Throws RuntimeError CONTAINER_START_FAILED (bad command, a name taken by a stranger…), or IMAGE_NOT_FOUND when the
   * engine has lost the pinned image: resolveImage(pinnedImage) may bring it back.
   */
  apply(rollout: Rollout, bounds?: CallBounds): Promise<void>

  /** Every container of this installation, or of one environment, in any phase. */
  observe(filter?: { appEnvId?: string }, bounds?: CallBounds): Promise<ObservedReplica[]>

  /** Stops (SIGTERM, then SIGKILL after the grace) and removes. Succeeds when there is nothing to remove. */
  remove(reference: RolloutReference, options: CallBounds & RemovalOptions): Promise<void>

  /** Removes a volume and its data. Succeeds when there is none; throws while a container uses it. */
  removeVolume(volumeId: string, bounds?: CallBounds): Promise<void>

  /** Removes the account's network when nothing uses it any more. */
  removeNetwork(accountId: string, bounds?: CallBounds): Promise<void>

  /**
   * The container's output, oldest first within each stream; ends at the present unless `follow`, which goes on until
   * the container ends. Lines are whole; one longer than 16 KiB comes in pieces. Takes a container's name or its id.
   * Throws NOT_FOUND for a container that is not this installation's.
   */
  logs(name: string, options: CallBounds & LogOptions): AsyncIterable<LogLine>

  /** Use now; nothing when it does not run. Takes up to a second. Throws NOT_FOUND as `logs` does. */
  stats(name: string, bounds?: CallBounds): Promise<ReplicaStats>

  builder(bounds?: CallBounds): Promise<BuilderTraits>

  /**
   * Builds an image and returns its id. The build ends when the signal fires, with everything it has started. Throws
   * RuntimeError BUILD_FAILED with the engine's words, or DISK_QUOTA_EXCEEDED.
   */
  build(build: ImageBuild, bounds: CallBounds): Promise<string>

  /**
   * Gives an image a name and pushes it there. Returns the name by digest. Throws RuntimeError PUSH_DENIED, or PUSH_FAILED
   * when a later attempt may succeed.
   */
  pushImage(push: ImagePush, bounds?: CallBounds): Promise<string>

  /** Images and leftovers of builds, of this installation or one environment. */
  builtImages(filter?: { appEnvId?: string }, bounds?: CallBounds): Promise<BuiltImage[]>

  /** Removes one of them, under all of its names. Gone already, or in use still, is fine. */
  removeImage(id: string, bounds?: CallBounds): Promise<void>

  /** The containers of builds, of this installation or one environment. They go with their step, if nothing is killed. */
  buildSteps(filter?: { appEnvId?: string }, bounds?: CallBounds): Promise<BuildStep[]>

  /** Ends a step and removes its container. Gone already is fine. */
  removeBuildStep(containerId: string, bounds?: CallBounds): Promise<void>

  /** Removes the containers in which an environment's builds ran, and the layers that they left since a moment. */
  clearBuilds(reference: { appEnvId: string; since: Date }, bounds?: CallBounds): Promise<void>

  /**
   * Calls back with an environment's id whenever the engine reports a change; a hint, never the truth. How a container
   * ended is told along: one that is restarted at once remembers nothing of it. Reconnects until aborted.
   */
  watch(onHint: (appEnvId: string, end: ContainerEnd | null) => void, signal: AbortSignal): void
}

export type RuntimeErrorReason =
  | 'IMAGE_NOT_FOUND'
  | 'IMAGE_UNAUTHORIZED'
  | 'IMAGE_INVALID'
  | 'REGISTRY_UNREACHABLE'
  | 'PULL_TIMEOUT'
  | 'CONTAINER_START_FAILED'
  | 'BUILD_FAILED'
  | 'PUSH_DENIED'
  | 'PUSH_FAILED'
  | 'DISK_QUOTA_EXCEEDED'

/** The engine answered that it cannot be done. */
export class RuntimeError extends Failure<RuntimeErrorReason> {
  /** A registry that is away or slow may be back a moment later. */
  protected override get passing(): readonly RuntimeErrorReason[] {
    return ['REGISTRY_UNREACHABLE', 'PULL_TIMEOUT', 'PUSH_FAILED']
  }
}
