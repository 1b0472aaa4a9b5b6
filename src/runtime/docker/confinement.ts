import type { ContainerCreateOptions } from 'dockerode'
import type { Sandbox } from '../sandbox.ts'

const BYTES_PER_MB = 1024 * 1024

/**
 * The capabilities that remain after `CapDrop: ALL`: the least that the official nginx and node images need to start
 * and stop. CHOWN, SETUID and SETGID: nginx, like every entrypoint that uses gosu, prepares its folders and then drops
 * root. KILL: without it the init process, being root, may not pass SIGTERM to a process that dropped root, and dies
 * instead. NET_BIND_SERVICE is not needed: since 20.10 engines let every user of a container listen below 1024.
 */
const CAPABILITIES = ['CHOWN', 'SETUID', 'SETGID', 'KILL']

/** Enough for sockets, locks and small temporary files. What is written there counts as the container's memory. */
const TMPFS_MB = 64

type HostConfig = NonNullable<ContainerCreateOptions['HostConfig']>

/** What the container may do. The seccomp profile is the engine's default, which applies as none is named here. */
export function confinementOf(
  sandbox: Sandbox | null,
  processes: number,
): Pick<ContainerCreateOptions, 'User'> & { HostConfig: HostConfig } {
  const hardening: HostConfig = {
    CapDrop: ['ALL'],
    CapAdd: [...(sandbox?.capabilities ?? CAPABILITIES)],
    SecurityOpt: ['no-new-privileges:true'],
    Privileged: false,
    // Reaps orphans, and gives SIGTERM its default meaning for apps that install no handler.
    Init: true,
    PidsLimit: processes,
  }
  if (!sandbox) return { HostConfig: hardening }
  return { User: sandbox.user, HostConfig: { ...hardening, ...restrictionsOf(sandbox) } }
}

function restrictionsOf({ user, readOnlyRoot, tmpfs, sharedMemoryMb, openFiles }: Sandbox): HostConfig {
  const [uid, gid] = user.split(':')
  const options = `rw,noexec,nosuid,nodev,size=${TMPFS_MB}m,mode=1777,uid=${uid},gid=${gid}`
  return {
    ReadonlyRootfs: readOnlyRoot,
    Tmpfs: Object.fromEntries(tmpfs.map((path) => [path, options])),
    ...(sharedMemoryMb === null ? {} : { ShmSize: sharedMemoryMb * BYTES_PER_MB }),
    ...(openFiles === null ? {} : { Ulimits: [{ Name: 'nofile', Soft: openFiles, Hard: openFiles }] }),
  }
}
