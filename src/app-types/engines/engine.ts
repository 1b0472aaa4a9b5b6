import type { LogFormat } from './engine-logs.ts'
import type { EngineMetric } from './engine-metrics.ts'

/** A program and its arguments; shell scripts are passed to a shell by name. */
export type EngineCommand = readonly [string, ...string[]]

export interface EngineVersion {
  /** Without the preset's name: `8_4`. */
  version: string
  label: string
  /** Official image; its tag follows the patches of this version. */
  image: string
  /** Where this version keeps its data, if not in the engine's data path. */
  dataPath?: string
}

interface NamedSetting {
  /** As the engine's own documentation calls it. */
  name: string
  /** What the setting does; stands alone where it is shown. */
  description: string
}

interface NumberSetting extends NamedSetting {
  type: 'INTEGER' | 'NUMBER'
  default: number
  min: number
  max: number
  /** Unit of the value, where the engine's configuration wants it written. */
  unit?: 'MB' | 'M' | 'mb'
}

interface BooleanSetting extends NamedSetting {
  type: 'BOOLEAN'
  default: boolean
}

interface EnumSetting extends NamedSetting {
  type: 'ENUM'
  default: string
  options: readonly [string, ...string[]]
}

export type EngineSetting = NumberSetting | BooleanSetting | EnumSetting

export interface Bounds {
  min: number
  default: number
  max: number
}

export interface EngineCredentials {
  user: string
  password: string
  /** Of the engine's own administrator, where the user is another one. Never handed out. */
  adminPassword: string
}

export interface EngineAddress {
  host: string
  port: number
}

/** What the container of one environment is made from. */
export interface EngineFacts {
  version: EngineVersion
  /** Where the volume is mounted. */
  dataPath: string
  credentials: EngineCredentials
  /** Every setting, with its unit, as the engine's configuration writes it. */
  settings: Readonly<Record<string, string>>
}

export interface ContainerFile {
  path: string
  content: string
}

export interface EngineContainer {
  /** After the entry point of the image. Lists of processes show them, so they have no secrets. */
  arguments: readonly string[]
  environment: Readonly<Record<string, string>>
  /** Belong to the user of the container, who alone may read them. */
  files: readonly ContainerFile[]
}

/** Everything is dropped or refused but what is named here. */
export interface EngineHardening {
  /** Numeric, so that it is the same inside and outside of the container. */
  user: `${number}:${number}`
  capabilities: readonly string[]
  readOnlyRoot: boolean
  /** Folders in memory, writable also where the root is not. */
  tmpfs: readonly string[]
  /** Size of /dev/shm; null: the container engine's default. */
  sharedMemoryMb: number | null
  /** Limit of open files; null: the container engine's default. */
  openFiles: number | null
}

interface BackupStep {
  /** RUNNING: in the engine's container. STOPPED: in one of the same image, user and volume, without the engine. */
  while: 'RUNNING' | 'STOPPED'
  command: EngineCommand
}

/** Backups are streams: `save` writes one to its standard output, `restore` reads it from its standard input. */
export interface EngineBackup {
  /** What is in a backup and what is not. */
  covers: string
  save: BackupStep
  /** Into a volume that was just initialised (RUNNING) or that is empty (STOPPED): there is nothing to replace. */
  restore: BackupStep
  /** Runs once the engine is ready with what was restored, where that still has to be fitted to its environment. */
  afterRestore: EngineCommand | null
  /** Reads what was restored. Fails if it is not usable. */
  verify: EngineCommand
}

/**
 * Restoring to any moment: copies of the files as they lie, and the engine's log of all changes, which is fetched while
 * the engine runs. The log is numbered in segments, of which those that are complete are fetched in order. The engine
 * keeps what was not fetched yet, up to a bound of its own. Variables in capitals are in the environment of a command.
 */
export interface EnginePointInTime {
  /** What is restored. */
  covers: string
  /** RUNNING: writes a copy of the files, which is usable only with the log that was written meanwhile. */
  saveFiles: EngineCommand
  /** STOPPED: reads such a copy, into an empty volume. */
  restoreFiles: EngineCommand
  log: {
    /**
     * RUNNING. Keeps the log from now on under the name ARCHIVE, if BEGINS is true. Completes the present segment if
     * FORCED is true, or if anything was committed since it printed MARK. Prints `lost` if the engine has kept less
     * than it should, and otherwise `<until>|<first>|<next>|<changed>|<mark>`: the time up to which everything is in
     * complete segments, the first segment that is kept, the first that is not complete, t or f for whether a segment
     * was completed, which then holds a change later than `until`, and the next MARK.
     */
    close: EngineCommand
    /** RUNNING: writes the segments from FROM up to, and without, TO. */
    fetch: EngineCommand
    /** RUNNING: segments before TO need not be kept for ARCHIVE any more. */
    release: EngineCommand
    /** RUNNING: nothing need be kept for ARCHIVE. */
    drop: EngineCommand
  }
  replay: {
    /**
     * STOPPED, after `restoreFiles`: reads the log that makes the files consistent. TARGET: the last moment to replay,
     * `consistent` for the earliest one, or `end` for all of the log.
     */
    prepare: EngineCommand
    /** RUNNING, once the engine answers: reads the log that follows, and takes it as fast as it is replayed. */
    feed: EngineCommand
    /** RUNNING: waits until the engine has replayed up to its target, and gives it the credentials of its environment. Prints the time of the last change. */
    finish: EngineCommand
  }
}

export interface EngineMetrics {
  /**
   * Prints lines of a name and a number, between them a space, a tab, `:` or `=`; other lines are skipped, labels in
   * braces are cut off, and numbers of the same name are added up. Secrets are never arguments.
   */
  command: EngineCommand
  series: readonly [EngineMetric, ...EngineMetric[]]
}

/** What the engine writes to the output of its container. Secrets in statements are hidden before lines are kept. */
interface EngineLogs extends LogFormat {
  /** The setting that says from when on a statement or command is slow, and logged; null where the engine logs none. */
  slow: string | null
  /** Writes what the engine logs elsewhere to the container's output, each entry once. Runs when metrics are asked for. */
  copy: EngineCommand | null
}

/**
 * Containers after the first one, which copy it, serve reads, and never take its place. Each has data of its own, where
 * the volume of the first one is, and copies it anew when it is made again.
 */
export interface EngineReplication {
  /**
   * What such a container runs. PRIMARY, the name of the first one on the network, and BERTH_REPLICA, its own number
   * from 1, are in its environment too.
   */
  container: (facts: EngineFacts) => EngineContainer & { entrypoint: readonly string[] }
  /** Prints how many seconds it is behind the first one; nothing while that is not known. */
  lag: EngineCommand
}

/** A change of versions that the engine makes by itself when it starts on the data of the older one. */
export interface InPlaceUpgrade {
  from: string
  to: string
  /** With the old version, before it is stopped. */
  before?: EngineCommand
  /** With the new version, once it is ready. */
  after?: EngineCommand
}

/**
 * A database, cache or broker: all that is known of it. Everything else asks this, and never for an engine by name.
 */
export interface Engine {
  /** The preset. */
  name: string
  title: string
  versions: readonly [EngineVersion, ...EngineVersion[]]
  defaultVersion: string
  /** Scheme of its connection URLs. */
  protocol: string
  port: number
  /** Further ports on the account's network. */
  otherPorts: readonly { port: number; about: string }[]
  dataPath: string
  /**
   * The variables of its official image for user, password and database. A compose file with that image gets
   * the managed service instead: its entry point needs more than apps may do, and its data deserve backups. Absent where
   * the container stays an app, since the programs beside it expect no password.
   */
  imageVariables?: { user: string; password: string; database: string; rootPassword?: string }
  /** Name of the generated user. */
  user: string
  /** Name of the database (virtual host, number) that is there from the beginning; null if there is none. */
  database: string | null
  limits: { diskMb: Bounds; containers: Bounds }
  settings: readonly EngineSetting[]
  container: (facts: EngineFacts) => EngineContainer
  /** The same template for the internal and for the external address. */
  url: (credentials: EngineCredentials, address: EngineAddress) => string
  /** Succeeds when clients are served, and not while the image initialises the volume. */
  health: EngineCommand
  /** Time for a clean stop before the container is killed. */
  stopSeconds: number
  hardening: EngineHardening
  /** What the engine says of itself, beside the CPU and memory of its container. */
  metrics: EngineMetrics
  logs: EngineLogs
  backup: EngineBackup
  /** Null: the engine restores whole backups only. */
  pointInTime: EnginePointInTime | null
  /** Null: it runs in one container. */
  replication: EngineReplication | null
  /**
   * Gives the user, and the administrator where there is one, new passwords, without losing data. Runs in the engine's
   * container, with OLD_PASSWORD, NEW_PASSWORD, OLD_ADMIN_PASSWORD and NEW_ADMIN_PASSWORD in the environment of the
   * command: secrets are never arguments. May be repeated: it succeeds also where it has succeeded, or was interrupted.
   * Open connections may end. Afterwards the container has to be made again with the new credentials: what it was made
   * with (environment, files) still has the old ones, which some engines take up again when they start. Until then,
   * other commands need the new container's environment.
   */
  rotate: EngineCommand
  inPlaceUpgrades: readonly InPlaceUpgrade[]
}

/** `user:password@host:port`, safe in a URL whatever the names are. */
export const authority = ({ user, password }: EngineCredentials, { host, port }: EngineAddress): string =>
  `${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}`

/** A script for the shell that every one of the images has. */
export const script = (...lines: [string, ...string[]]): EngineCommand => [
  'bash',
  '-euo',
  'pipefail',
  '-c',
  lines.join('\n'),
]

/** Of engines that describe no replicas: what is not described cannot be asked for. */
export const ONE_CONTAINER: Bounds = { min: 1, default: 1, max: 1 }
