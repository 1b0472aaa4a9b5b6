import type { ContainerCreateOptions } from 'dockerode'
import { ALL_CAPABILITIES, type ContainerSettings, DEFAULT_TMPFS_MB } from '../../../domain/container-settings.ts'
import { replicaName } from '../../../domain/replica-name.ts'
import type { Resources } from '../../../domain/resources.ts'
import {
  type Rollout,
  type RunContainer,
  runName,
  type Sandbox,
  type Task,
  taskName,
} from '../../runtime/container-runtime.ts'
import { replicaLabels, runLabels, taskLabels } from './container-labels.ts'
import { isJoined } from './holder.ts'
import { replicaOf } from './replica-of.ts'
import { type Mounted, mountsOf } from './volumes.ts'

/**
 * How replicas are reached: at their own address on the account's bridge, or at a port the engine picks, on loopback or
 * on an address of its machine.
 */
export type Reach = 'address' | 'published' | { publishedOn: string }

const publishingAddress = (reach: Exclude<Reach, 'address'>): string =>
  reach === 'published' ? '127.0.0.1' : reach.publishedOn

/** The parts of a container that the engine decides: its host, and the number of cores. */
export interface Placement {
  installationId: string
  /** Null: the container has its loopback only. */
  network: string | null
  cores: number
  /** Processes and threads of one container. */
  processes: number
}

/** How long the engine keeps a container's output; `none`: only attached readers get it. */
const LOGS = {
  replica: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
  task: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '1' } },
  none: { Type: 'none', Config: {} },
} as const

/** The container of one replica. */
export function replicaSpec(
  rollout: Rollout,
  index: number,
  placement: Placement & { network: string; reach: Reach; engineRestarts: boolean },
): ContainerCreateOptions {
  const replica = replicaOf(rollout, index)
  const { HostConfig, ...spec } = containerSpec(replica, placement)
  const port = rollout.port === null ? null : `${rollout.port}/tcp`
  return {
    name: replicaName(rollout, index),
    ...spec,
    ...commandOf(replica.command),
    ...workingDirOf(rollout),
    ...(rollout.stopSeconds === null ? {} : { StopTimeout: rollout.stopSeconds }),
    Labels: replicaLabels(placement.installationId, rollout, index),
    ...(isJoined(placement.network) ? {} : ownConnection(placement.network, replica.alias, port)),
    HostConfig: {
      ...HostConfig,
      RestartPolicy: { Name: placement.engineRestarts ? 'unless-stopped' : 'no' },
      LogConfig: LOGS.replica,
      ...(port !== null && placement.reach !== 'address'
        ? { PortBindings: { [port]: [{ HostIp: publishingAddress(placement.reach), HostPort: '' }] } }
        : {}),
    },
  }
}

/** Other environments of the account reach it by its alias, whichever container answers (internalUrl). */
const ownConnection = (network: string, alias: string, port: string | null) => ({
  ...(port === null ? {} : { ExposedPorts: { [port]: {} } }),
  NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [alias] } } },
})

/** The container of one task. Attached: its streams are the caller's, and the first caller's end is theirs. */
export function taskSpec(
  task: Task,
  placement: Placement,
  { attached }: { attached: boolean },
): ContainerCreateOptions {
  const { HostConfig, ...spec } = containerSpec({ ...task, settings: null }, placement)
  const hasCommand = task.entrypoint.length + task.args.length > 0
  return {
    name: taskName(task),
    ...spec,
    ...commandOf(hasCommand ? task : null),
    Labels: taskLabels(placement.installationId, task),
    ...(attached ? { OpenStdin: true, StdinOnce: true } : {}),
    HostConfig: { ...HostConfig, RestartPolicy: { Name: 'no' }, LogConfig: attached ? LOGS.none : LOGS.task },
  }
}

/** The container of one attempt of a run: on the network, under no name. Its output is kept as a replica's. */
export function runSpec(run: RunContainer, placement: Placement): ContainerCreateOptions {
  const { HostConfig, ...spec } = containerSpec({ ...run, volume: null, sandbox: null }, placement)
  return {
    name: runName(run),
    ...spec,
    ...commandOf(run.command),
    ...workingDirOf(run),
    ...(run.settings?.stopGraceSeconds === undefined ? {} : { StopTimeout: run.settings.stopGraceSeconds }),
    Labels: runLabels(placement.installationId, run),
    HostConfig: { ...HostConfig, RestartPolicy: { Name: 'no' }, LogConfig: LOGS.replica },
  }
}

/** A command names its own; otherwise that of the settings counts, and last the image's. */
function workingDirOf({ workingDir, settings }: Pick<Rollout, 'workingDir' | 'settings'>) {
  const directory = workingDir ?? settings?.workingDir
  return directory === undefined ? {} : { WorkingDir: directory }
}

interface Contained extends Mounted {
  pinnedImage: string
  environment: Record<string, string>
  sandbox: Sandbox | null
  settings: ContainerSettings | null
  resources: Resources
}

function containerSpec(contained: Contained, { installationId, network, cores, processes }: Placement) {
  const { HostConfig, ...user } = confinementOf(contained, processes)
  return {
    Image: contained.pinnedImage,
    ...user,
    Env: Object.entries(contained.environment).map(([name, value]) => `${name}=${value}`),
    HostConfig: {
      ...HostConfig,
      ...limitsOf(contained.resources, cores),
      NetworkMode: network ?? 'none',
      Mounts: mountsOf(contained, installationId),
    },
  }
}

/** Memory and swap together equal the memory limit, so there is no swap to hide a leak in. */
function limitsOf({ memoryMb, cpu }: Resources, cores: number) {
  const memory = memoryMb * 1024 * 1024
  // Engines refuse a limit above the machine's cores, where it would limit nothing.
  return { Memory: memory, MemorySwap: memory, NanoCpus: Math.round(Math.min(cpu, cores) * 1e9) }
}

interface Command {
  entrypoint: readonly string[]
  args: readonly string[]
}

/** An entrypoint replaces the image's arguments too; arguments alone keep the image's entrypoint. */
const commandOf = (command: Command | null): Pick<ContainerCreateOptions, 'Entrypoint' | 'Cmd'> => ({
  ...(command === null ? {} : { Cmd: [...command.args] }),
  ...(command !== null && command.entrypoint.length > 0 ? { Entrypoint: [...command.entrypoint] } : {}),
})

const BYTES_PER_MB = 1024 * 1024

/**
 * The capabilities that remain after `CapDrop: ALL`: the least that the official nginx and node images need to start
 * and stop. CHOWN, SETUID and SETGID: nginx, like every entrypoint that uses gosu, prepares its folders and then drops
 * root. KILL: without it the init process, being root, may not pass SIGTERM to a process that dropped root, and dies
 * instead. NET_BIND_SERVICE is not needed: since 20.10 engines let every user of a container listen below 1024.
 */
const CAPABILITIES = ['CHOWN', 'SETUID', 'SETGID', 'KILL']

type HostConfig = NonNullable<ContainerCreateOptions['HostConfig']>

type Confinement = Pick<ContainerCreateOptions, 'User' | 'Hostname' | 'StopSignal'> & { HostConfig: HostConfig }

/** What the container may do. The seccomp profile is the engine's default, which applies as none is named here. */
function confinementOf(
  { sandbox, settings }: { sandbox: Sandbox | null; settings: ContainerSettings | null },
  processes: number,
): Confinement {
  const hardening: HostConfig = {
    CapDrop: ['ALL'],
    CapAdd: [...(sandbox?.capabilities ?? capabilitiesOf(settings))],
    SecurityOpt: ['no-new-privileges:true'],
    Privileged: false,
    // Reaps orphans, and gives SIGTERM its default meaning for apps that install no handler.
    Init: true,
    PidsLimit: processes,
  }
  if (!sandbox) return settings ? withSettings(settings, hardening) : { HostConfig: hardening }
  return { User: sandbox.user, HostConfig: { ...hardening, ...restrictionsOf(sandbox) } }
}

/** What is in no list here is dropped already: a setting takes away, and never adds. */
function capabilitiesOf(settings: ContainerSettings | null): readonly string[] {
  const dropped = settings?.dropCapabilities ?? []
  return dropped.includes(ALL_CAPABILITIES) ? [] : CAPABILITIES.filter((name) => !dropped.includes(name))
}

/** What the owner of the container has set. The hardening comes last where both say something, but for the first process. */
function withSettings(settings: ContainerSettings, hardening: HostConfig): Confinement {
  const { user, hostname, stopSignal, readOnlyRoot, tmpfs = [], ulimits = [], sharedMemoryMb, init } = settings
  const folders = tmpfs.map(({ path, sizeMb = DEFAULT_TMPFS_MB }) => [path, tmpfsOptions(sizeMb, 'mode=1777')])
  return {
    ...(user === undefined ? {} : { User: user }),
    ...(hostname === undefined ? {} : { Hostname: hostname }),
    ...(stopSignal === undefined ? {} : { StopSignal: stopSignal }),
    HostConfig: {
      ...(readOnlyRoot === undefined ? {} : { ReadonlyRootfs: readOnlyRoot }),
      ...(folders.length === 0 ? {} : { Tmpfs: Object.fromEntries(folders) }),
      ...(ulimits.length === 0 ? {} : { Ulimits: ulimits.map(({ name, soft, hard }) => limitOf(name, soft, hard)) }),
      ...(sharedMemoryMb === undefined ? {} : { ShmSize: sharedMemoryMb * BYTES_PER_MB }),
      ...hardening,
      // An image may bring a first process that has to be the first.
      ...(init === undefined ? {} : { Init: init }),
    },
  }
}

const limitOf = (Name: string, Soft: number, Hard: number) => ({ Name, Soft, Hard })

/** What is written there counts as the container's memory. */
const tmpfsOptions = (sizeMb: number, more: string): string => `rw,noexec,nosuid,nodev,size=${sizeMb}m,${more}`

function restrictionsOf({ user, readOnlyRoot, tmpfs, sharedMemoryMb, openFiles }: Sandbox): HostConfig {
  const [uid, gid] = user.split(':')
  const options = tmpfsOptions(DEFAULT_TMPFS_MB, `mode=1777,uid=${uid},gid=${gid}`)
  return {
    ReadonlyRootfs: readOnlyRoot,
    Tmpfs: Object.fromEntries(tmpfs.map((path) => [path, options])),
    ...(sharedMemoryMb === null ? {} : { ShmSize: sharedMemoryMb * BYTES_PER_MB }),
    ...(openFiles === null ? {} : { Ulimits: [{ Name: 'nofile', Soft: openFiles, Hard: openFiles }] }),
  }
}
