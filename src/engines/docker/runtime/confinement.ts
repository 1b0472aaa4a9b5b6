import type { ContainerCreateOptions } from 'dockerode'
import { ALL_CAPABILITIES, type ContainerSettings, DEFAULT_TMPFS_MB } from '../../../domain/container-settings.ts'
import type { Sandbox } from '../../runtime/container-runtime.ts'

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
export function confinementOf(
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
  if (!sandbox) return settings ? settled(settings, hardening) : { HostConfig: hardening }
  return { User: sandbox.user, HostConfig: { ...hardening, ...restrictionsOf(sandbox) } }
}

/** What is in no list here is dropped already: a setting takes away, and never adds. */
function capabilitiesOf(settings: ContainerSettings | null): readonly string[] {
  const dropped = settings?.dropCapabilities ?? []
  return dropped.includes(ALL_CAPABILITIES) ? [] : CAPABILITIES.filter((name) => !dropped.includes(name))
}

/** What the owner of the container has set. The hardening comes last where both say something, but for the first process. */
function settled(settings: ContainerSettings, hardening: HostConfig): Confinement {
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
