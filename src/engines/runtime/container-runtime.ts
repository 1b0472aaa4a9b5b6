import type { ContainerSettings } from '../../domain/container-settings.ts'
import { DomainError } from '../../domain/errors.ts'
import { Failure } from '../../domain/failure.ts'
import type { SignalName, TerminalSize } from '../../domain/remote-session.ts'
import type { Resources } from '../../domain/resources.ts'
import type { CallBounds } from '../call-bounds.ts'
import type { CommandStreams } from '../command-streams.ts'

export interface RuntimeInfo {
  name: string
  version: string
}

/** The machine of an engine, and how the engine uses it. */
export interface EngineMachine {
  /** How images are kept, in the engine’s own words. */
  imageStore: string
  /** The folder of images, containers and volumes, on the engine’s machine. */
  dataRoot: string
  cgroupVersion: string
  cgroupDriver: string
  /** Without it, containers may take all memory of the machine. */
  hasMemoryLimit: boolean
  /** Processors of the machine, and its memory in bytes. */
  cpus: number
  memoryBytes: number
  /** Addresses that are asked for images of the public registry before that one is. */
  mirrors: readonly string[]
}

/** The desired containers of one version of one environment. */
export interface Rollout {
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  /** The operation that began the rollout; its id distinguishes rollouts of one environment. */
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
  /** Belong to the container's user, who alone may read them; written before it starts, and gone with it. */
  files: readonly ContainerFile[]
  /** Null: the image's user, a writable root, and the capabilities that ordinary images need. */
  sandbox: Sandbox | null
  /** What its owner has set; null: nothing. A sandbox has none beside it, and no setting gives a container a right. */
  settings: ContainerSettings | null
  /** Time from SIGTERM to SIGKILL when the engine itself stops the container; null: the engine's default. */
  stopSeconds: number | null
  /** Data that outlives the containers; created when missing. */
  volume: { id: string; path: string } | null
  /** Null: nothing listens (a job). */
  port: number | null
  replicas: number
  /** What replicas after the first one are instead, where they follow it; null: all are alike. */
  followers: Followers | null
  resources: Resources
  /** Whose network its containers join beside the account's; null: none. */
  group: NetworkGroup | null
  /**
   * Containers that sleep start sooner on a connection to the network that something else holds for them: it is made
   * before the first one is, or is used only where it is ready. A wish, which an adapter need not fulfil.
   */
  heldNetwork: 'NONE' | 'MADE' | 'IF_READY'
}

/** An environment without a container, which may soon have one. */
export type ExpectedReplica = Pick<Rollout, 'accountId' | 'appEnvId' | 'cliEnvName'>

/** Replicas that copy the first one: they have no part of its volume, but data of their own, which goes with them. */
export interface Followers {
  command: { entrypoint: string[]; args: string[] }
  /** With BERTH_REPLICA, the index. */
  environment: Record<string, string>
  files: readonly ContainerFile[]
  dataPath: string
  /** Their name on the network, in place of the environment's. */
  alias: string
}

export type ReplicaPhase = ContainerPhase

/** One container of this installation, as the engine reports it. */
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
  /** Where the ingress and the probes reach it; null unless running or paused. */
  address: string | null
  port: number | null
  /** False where the address is the machine's, which publishes the port: no other port of it is the container's. */
  hasOwnAddress: boolean
  /**
   * False for a running container that is not on its account's network, or its group's, or not under the names that it
   * has there. `apply` connects it; one that stays so has to be replaced.
   */
  isConnected: boolean
  startedAt: Date | null
  finishedAt: Date | null
  exitCode: number | null
  outOfMemory: boolean
  restartCount: number
}

export interface LogLine {
  timestamp: Date
  /** The same as nanoseconds since 1970: a checkpoint in the output to continue from. */
  nanoseconds: bigint
  stream: 'stdout' | 'stderr'
  message: string
  /** A piece of a longer line, which goes on in the next one of the stream. */
  isPartial?: true
}

export interface ReplicaStats {
  cpuMillicores: number
  memoryMb: number
}

/** What a running container has written outside of its volumes. */
export interface DiskUse {
  containerId: string
  appEnvId: string
  bytes: number
}

/** Where a container accepts TCP connections. */
export interface Listening {
  sockets: ListeningSocket[]
  /** Ports that its image says it serves; none where the image says nothing. */
  declaredPorts: number[]
}

export interface ListeningSocket {
  /** `0.0.0.0` and `::` are all addresses of the container. */
  address: string
  port: number
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
  /** Set when it sleeps without one: what takes long when it wakes may be made ready, for a while. */
  expected?: ExpectedReplica
  /** Called for each container that has ended, while its output can still be read. A failure keeps the container. */
  beforeRemoval?: (containerId: string) => Promise<void>
}

export interface LogOptions {
  tail?: number
  /** Nanoseconds since 1970: lines of exactly this nanosecond are included. */
  since?: bigint
  follow?: boolean
}

/**
 * The port to a container engine. Every adapter passes the suite in `test/contracts/container-runtime.ts`. Every method
 * may be repeated after a crash, answers within its bounds, and throws DomainError RUNTIME_UNAVAILABLE when the engine
 * does not answer, or the signal's reason when the caller aborts. Any other Error is a problem of the engine that may
 * have gone by a later attempt.
 */
export interface ContainerRuntime {
  /** Throws EngineUnsupported when the engine answers and Berth cannot use it. */
  info(bounds?: CallBounds): Promise<RuntimeInfo>

  machine(bounds?: CallBounds): Promise<EngineMachine>

  /** Distinguishes this engine from any other, by whatever address it is reached. An engine with new storage is another. */
  identity(bounds?: CallBounds): Promise<string>

  /** The marks on the engine of all who have this installation's id. */
  marks(bounds?: CallBounds): Promise<EngineMark[]>

  /** Marks the engine. Repeating it is harmless. */
  addMark(mark: EngineMark, bounds?: CallBounds): Promise<void>

  /** Succeeds when there is none. */
  removeMark(nonce: string, bounds?: CallBounds): Promise<void>

  /**
   * Creates the rollout's missing containers of 0…replicas-1, starts those that have stopped, connects running ones
   * that have lost their network, which is made again if need be, leaves all others alone, and removes those beyond.
   * Never replaces a running one. Does not wait for readiness. Throws RuntimeError CONTAINER_START_FAILED (such as a
   * bad command, or a name that a foreign container uses), or IMAGE_NOT_FOUND when the engine has lost the pinned
   * image: the image builder's resolveImage(pinnedImage) may bring it back. `onStarted` is called as soon as all of them
   * are started, where that is before it is known whether their commands can be run.
   */
  apply(rollout: Rollout, options?: CallBounds & { onStarted?: () => void }): Promise<void>

  /**
   * Keeps a running container's memory and takes its processor away. Its address stays, and connections to it are
   * accepted and wait. Does nothing to one that is frozen. Throws NOT_FOUND as `logs` does, RuntimeError NOT_RUNNING.
   */
  freeze(name: string, bounds?: CallBounds): Promise<void>

  /**
   * Lets a frozen container go on. False: it ran already, perhaps because it was started anew, at another address.
   * Throws as `freeze` does.
   */
  unfreeze(name: string, bounds?: CallBounds): Promise<boolean>

  /** Stops a container, frozen or not, and keeps it: SIGTERM, then SIGKILL after the grace. Throws NOT_FOUND as `logs` does. */
  stop(name: string, options: CallBounds & { graceSeconds: number }): Promise<void>

  /**
   * Starts a container that exists, and returns it with its new address. Throws NOT_FOUND as `logs` does, and RuntimeError
   * CONTAINER_START_FAILED where `apply` would have to repair or replace it.
   */
  start(name: string, bounds?: CallBounds): Promise<ObservedReplica>

  /**
   * Every container of this installation, or of one environment, in any phase. Briefly: ids, labels and phases only, at
   * the cost of a list however many there are; nothing else of the answer counts.
   */
  observe(filter?: { appEnvId?: string; isBrief?: boolean }, bounds?: CallBounds): Promise<ObservedReplica[]>

  /** Stops (SIGTERM, then SIGKILL after the grace) and removes. Succeeds when there is nothing to remove. */
  remove(reference: RolloutReference, options: CallBounds & RemovalOptions): Promise<void>

  /** Removes a volume and its data. Succeeds when there is none; throws while a container uses it. */
  removeVolume(volumeId: string, bounds?: CallBounds): Promise<void>

  /** Removes volumes that containers had to themselves and that are left, such as by an operator who removed one. */
  removeLeftVolumes(bounds?: CallBounds): Promise<void>

  /** Removes the network of an account or a group when nothing uses it any more. */
  removeNetwork(ownerId: string, bounds?: CallBounds): Promise<void>

  /**
   * The container's output, oldest first within each stream; ends at the present unless `follow`, which continues until
   * the container ends. Lines are whole; one longer than 16 KiB comes in pieces. Takes a container's name or its id.
   * Throws NOT_FOUND for a container that is not this installation's.
   */
  logs(name: string, options: CallBounds & LogOptions): AsyncIterable<LogLine>

  /**
   * Current use, over about a second or since the previous call; zeros when the container does not run. Takes up to two
   * seconds. Throws NOT_FOUND as `logs` does, and when the container has started again meanwhile.
   */
  stats(name: string, bounds?: CallBounds): Promise<ReplicaStats>

  /**
   * On which addresses and ports a running container accepts connections, those that only it can reach included; null
   * when that cannot be found out. Throws NOT_FOUND as `logs` does.
   */
  listening(name: string, bounds?: CallBounds): Promise<Listening | null>

  /**
   * Runs a command in a running container. A caller that aborts, the deadline, and an input or output that fails kill
   * the command before the call ends, if the image has the programs `sh` and `cat`. Throws NOT_FOUND as `logs` does,
   * RuntimeError NOT_RUNNING or COMMAND_TIMEOUT, and the error of the input or output.
   */
  exec(name: string, command: readonly [string, ...string[]], options?: ExecOptions): Promise<ExecResult>

  /** Kills the commands of a key that run in a container, if the image has the programs `sh` and `cat`. Throws NOT_FOUND as `logs` does. */
  killExec(name: string, key: string, bounds?: CallBounds): Promise<void>

  /**
   * Runs a task to its end and removes it, whatever happens; `timeoutSeconds` bounds its whole run. A container of its
   * name is removed first. Throws as `apply` and `exec` do.
   */
  runTask(task: Task, options?: CallBounds & CommandStreams): Promise<ExecResult>

  /** Starts a task and returns its name, for `exec` and `logs`. It runs until it ends or is removed. Throws as `apply` does. */
  startTask(task: Task, bounds?: CallBounds): Promise<string>

  /** The tasks of this installation: those of killed workers too. */
  observeTasks(bounds?: CallBounds): Promise<ObservedTask[]>

  /** Kills and removes tasks, with what they wrote into their scratch paths. Succeeds when there are none. */
  removeTasks(reference: TaskReference, bounds?: CallBounds): Promise<void>

  /**
   * Creates the container of a run unless there is one under its name, whatever became of that, and returns it. Never
   * starts it. Throws as `apply` does.
   */
  createRun(run: RunContainer, bounds?: CallBounds): Promise<ObservedRun>

  /**
   * Starts the container of a run that was never started, and leaves any other alone. False: it was never started and
   * never will be, and was removed; another one may. Throws as `apply` does, and NOT_FOUND for one that is gone and may have run.
   */
  startRun(containerId: string, bounds?: CallBounds): Promise<boolean>

  /**
   * Containers of runs, in any phase. They are neither replicas nor tasks. Times and exit code are known only where one
   * is named.
   */
  observeRuns(reference: RunReference, bounds?: CallBounds): Promise<ObservedRun[]>

  /** Stops the container of a run (SIGTERM, then SIGKILL after the grace), and keeps it. Succeeds when there is none. */
  stopRun(containerId: string, options: CallBounds & { graceSeconds: number }): Promise<void>

  /** Kills and removes containers of runs. Succeeds when there are none. */
  removeRuns(reference: RunReference, bounds?: CallBounds): Promise<void>

  /** Of every running container of this installation. May take the engine long. */
  diskUse(bounds?: CallBounds): Promise<DiskUse[]>

  /** The same as files and folders, by container. Empty where the engine's disk cannot be looked at, as on another machine. */
  fileCounts(bounds?: CallBounds): Promise<ReadonlyMap<string, number>>

  /** Size of the data in each of these volumes, in bytes. Those that the engine does not have are left out. May take the engine long. */
  volumeUse(volumeIds: readonly string[], bounds?: CallBounds): Promise<ReadonlyMap<string, number>>

  /**
   * Calls back with an environment's id whenever the engine reports a change of its containers or its network: a
   * notification to reconcile, not a state. It carries how a container ended, because one that is restarted at once has lost that. Reconnects until aborted.
   */
  watch(onChange: (appEnvId: string, end: ContainerEnd | null) => void, signal: AbortSignal): void
}

/** An engine that answers, and that Berth cannot use: whatever needs it waits, as for one that is away. */
export class EngineUnsupported extends DomainError {
  constructor(message: string) {
    super('RUNTIME_UNAVAILABLE', 'ENGINE_UNREACHABLE', message)
  }
}

/** `START_LOST`: the engine has forgotten a start, so that its container may have run, or run still. */
export type RuntimeErrorReason =
  | 'IMAGE_NOT_FOUND'
  | 'CONTAINER_START_FAILED'
  | 'START_LOST'
  | 'NOT_RUNNING'
  | 'COMMAND_TIMEOUT'

/** The engine answered that it cannot be done, and, but for a container that is down, that a retry would not help. */
export class RuntimeError extends Failure<RuntimeErrorReason> {
  protected override get passing(): readonly RuntimeErrorReason[] {
    return ['NOT_RUNNING']
  }
}

/** A file of a container, often a secret: its content is in no label, log or error. */
export interface ContainerFile {
  /** Absolute. Its folder must not be one that the image needs to write to. */
  path: string
  content: string
}

/** What a container may do beyond the least. Everything that is not named here is dropped or refused. */
export interface Sandbox {
  /** `uid:gid`, numeric. Owns the volume and the files. */
  user: string
  /** All others are dropped. */
  capabilities: readonly string[]
  readOnlyRoot: boolean
  /** Folders in memory of limited size, writable also where the root is not. They count towards the memory limit. */
  tmpfs: readonly string[]
  /** Size of /dev/shm; null: the engine's default. */
  sharedMemoryMb: number | null
  /** Limit of open files; null: the engine's default. */
  openFiles: number | null
}

/** Environments that reach each other by short names, on a network of their own. */
export interface NetworkGroup {
  id: string
  /** Names of the containers there, which all replicas share but those that follow the first. */
  aliases: readonly string[]
}

/** Where a container is in its life. */
export type ContainerPhase = 'created' | 'running' | 'restarting' | 'paused' | 'exited' | 'dead'

/** `timeoutSeconds` bounds the whole command. */
export interface ExecOptions extends CallBounds, CommandStreams {
  /** Name, or `uid:gid`; omitted: the container's own. */
  user?: string
  /** Added to the container's own. */
  environment?: Record<string, string>
  /**
   * Of letters, digits, `-` and `_`. Commands of the same key that still run in the container are killed first, such
   * as that of a worker that was killed.
   */
  key?: string
  /** No command of the key ran before, so that none is looked for. */
  isKeyNew?: boolean
  /** Gives the command a terminal of this size. Its outputs are then one. */
  terminal?: TerminalSize
  /** Takes standard error, chunk by chunk and in order, besides what the result says of it. */
  errors?: CommandStreams['output']
  /** Called as soon as the command is started. */
  onStarted?: (control: CommandControl) => void
}

/** A command that runs. Either call does nothing once it has ended. */
export interface CommandControl {
  /** Of its terminal. */
  resize(size: TerminalSize, bounds?: CallBounds): Promise<void>
  /** Sends a signal to the command and its children, if the image has the programs `sh` and `cat`. */
  signal(name: SignalName, bounds?: CallBounds): Promise<void>
}

export interface ExecResult {
  /** 126 and 127: the command could not be started. 137: it, or its container, was killed. */
  exitCode: number
  /** The last 8 KiB of standard error, as text; of a command that could not be started, the engine's words. */
  errorOutput: string
}

/** One container of a finite run. It is never restarted, and stays when it has ended until it is removed. */
export interface RunContainer {
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  runId: string
  /** From 1. Each attempt has a container of its own. */
  attempt: number
  /** Fencing token of the worker that creates it, kept as a label. */
  generation: number
  requestId: string
  pinnedImage: string
  /** Null keeps the image's own. */
  command: { entrypoint: string[]; args: string[] } | null
  workingDir: string | null
  environment: Record<string, string>
  files: readonly ContainerFile[]
  settings: ContainerSettings | null
  resources: Resources
  /** Whose network it joins beside the account's. */
  group: NetworkGroup | null
}

/** A container of a run, as the engine reports it. */
export interface ObservedRun {
  name: string
  containerId: string
  appEnvId: string
  runId: string
  attempt: number
  phase: ContainerPhase
  startedAt: Date | null
  finishedAt: Date | null
  /** Null until it has ended. */
  exitCode: number | null
  outOfMemory: boolean
  /** Why its command could not be run, and what to do; absent when it has run, or is one of several that were listed. */
  startFault?: string
}

/** All that are named. Omitted: every one of the installation. */
export interface RunReference {
  appEnvId?: string
  containerId?: string
}

/** Decided before the container exists: a repeated step finds what an earlier one has made. */
export const runName = ({ runId, attempt }: Pick<RunContainer, 'runId' | 'attempt'>): string =>
  `berth-${runId.replaceAll('_', '-')}-${attempt}`.toLowerCase()

/** A container beside the replicas of an environment that does one thing, and is removed. It is never restarted. */
export interface Task {
  accountId: string
  appId: string
  appEnvId: string
  /** The operation that it is part of; its id and the purpose name the container. */
  operationId: string
  /** Fencing token of the worker that starts it, kept as a label. */
  generation: number
  requestId: string
  /** Of lower-case letters, digits and `-`, at most 20: `restore`. */
  purpose: string
  pinnedImage: string
  /** Empty: the image's own. */
  entrypoint: readonly string[]
  /** With an empty entrypoint, empty arguments are the image's own too. */
  args: readonly string[]
  environment: Record<string, string>
  files: readonly ContainerFile[]
  sandbox: Sandbox | null
  /** The volume of the environment; created when missing. */
  volume: { id: string; path: string } | null
  /** Volumes of its own, which are removed with it. */
  scratchPaths: readonly string[]
  /** `ACCOUNT`: the network of the account's containers. `NONE`: the loopback only. */
  network: 'ACCOUNT' | 'NONE'
  resources: Resources
}

export interface TaskReference {
  appEnvId: string
  /** Omitted: those of every operation. */
  operationId?: string
}

/** One task of this installation, running or ended. */
export interface ObservedTask {
  name: string
  appEnvId: string
  operationId: string
}

/**
 * Name of a task's container: `berth-task-<operation>-<purpose>`. Decided before the container exists, so that a step
 * that is repeated finds what an earlier attempt left.
 */
export const taskName = ({ operationId, purpose }: Pick<Task, 'operationId' | 'purpose'>): string =>
  `berth-task-${operationId.replaceAll('_', '-')}-${purpose}`.toLowerCase()

/**
 * Says on an engine which database the installation that runs containers there has. A copy of the installation has the
 * same id, and would take the containers of the original for its own.
 */
export interface EngineMark {
  /** Known to the database that it is of. */
  nonce: string
  /** Where that Berth runs, for people. */
  holder: string
}
